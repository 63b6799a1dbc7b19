// What a scheme makes of frozen parameters alone, kept from pass to pass: rows of a table, as many as any
// pass met so far, and what the layers make of them. Once a parameter wants a gradient it is made anew each
// time.
#pragma once

#include <algorithm>
#include <map>
#include <mutex>

#include "locus/autograd/var.h"

namespace locus {

class KeptTables {
 public:
  struct Rows {
    int64_t first = 0, last = -1;
    Var table;
  };
  // At least rows first to last, which make(first, last) makes.
  template <class Make>
  Rows rows(int64_t first, int64_t last, bool frozen, Make make) {
    const std::lock_guard lock(mutex_);
    if (!frozen) {
      rows_ = {};
      layers_.clear();
      return {first, last, make(first, last)};
    }
    if (!rows_.table || first < rows_.first || last > rows_.last) {
      if (rows_.table) first = std::min(first, rows_.first), last = std::max(last, rows_.last);
      rows_ = {first, last, make(first, last)};
    }
    return rows_;
  }

  struct Projected {
    Var keys, queries;
  };
  // What make() makes of `table`, which came from rows(), and of a layer's own weights.
  template <class Make>
  Projected projected(int64_t layer, const Var& table, bool frozen, Make make) {
    const std::lock_guard lock(mutex_);
    if (!frozen || !same(rows_.table, table)) {
      layers_.erase(layer);
      return make();
    }
    Layer& kept = layers_[layer];
    if (!same(kept.from, table)) kept = {table, make()};
    return kept.made;
  }

 private:
  struct Layer {
    Var from;  // holds its memory, so that no other table can have this address
    Projected made;
  };
  static bool same(const Var& a, const Var& b) {
    return a && a.shape() == b.shape() && a.value().view().data == b.value().view().data;
  }

  std::mutex mutex_;
  Rows rows_;
  std::map<int64_t, Layer> layers_;
};

}  // namespace locus
