// Caches tables that a scheme derives from frozen parameters only: rows of one table, covering every row that
// any forward pass has needed so far, and each layer's projections of that table. If a parameter requires a
// gradient, the tables are computed again in every pass.
#pragma once

#include <algorithm>
#include <map>
#include <mutex>

#include "locus/autograd/var.h"

namespace locus {

class CachedTables {
 public:
  struct Rows {
    int64_t first = 0, last = -1;
    Var table;
  };
  // A table with at least the rows first to last; make(first, last) computes it.
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
  // The projections of `table`, a result of rows(), with a layer's own weights; make() computes them.
  template <class Make>
  Projected projected(int64_t layer, const Var& table, bool frozen, Make make) {
    const std::lock_guard lock(mutex_);
    if (!frozen || !same(rows_.table, table)) {
      layers_.erase(layer);
      return make();
    }
    Layer& cached = layers_[layer];
    if (!same(cached.from, table)) cached = {table, make()};
    return cached.made;
  }

 private:
  struct Layer {
    Var from;  // keeps its memory alive, so that no other table can have the same address
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
