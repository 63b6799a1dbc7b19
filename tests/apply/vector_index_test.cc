// The search in a file of vectors against a plain loop, and files that it must refuse.
#include "locus/apply/vector_index.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "locus/apply/cosine.h"
#include "locus/apply/vector_writer.h"
#include "locus/base/parallel.h"
#include "locus/base/random.h"
#include "locus/checkpoint/npy.h"
#include "locus/checkpoint/safetensors.h"
#include "tests/expect_error.h"
#include "tests/temporary_folder.h"

namespace locus {
namespace {

Tensor random_rows(int64_t rows, int64_t width, uint64_t stream) {
  const Random random(7, stream);
  std::vector<float> values;
  for (int64_t i = 0; i < rows * width; ++i)
    values.push_back(random.uniform(static_cast<uint64_t>(i)) - 0.5f);
  return Tensor::of({rows, width}, values);
}

std::span<const float> row_of(const Tensor& rows, int64_t i) { return rows.rows(i, i + 1).data<float>(); }

// The definition: all cosines, sorted.
std::vector<NearRow> expected_rows(const Tensor& rows, std::span<const float> query, size_t top) {
  std::vector<NearRow> all;
  for (int64_t i = 0; i < rows.size(0); ++i) all.push_back({i, cosine(query, row_of(rows, i))});
  std::ranges::stable_sort(all, std::greater(), &NearRow::score);
  all.resize(std::min(top, all.size()));
  return all;
}

void expect_same(const std::vector<NearRow>& found, const std::vector<NearRow>& expected) {
  ASSERT_EQ(found.size(), expected.size());
  for (size_t i = 0; i < found.size(); ++i) {
    EXPECT_EQ(found[i].row, expected[i].row) << i;
    EXPECT_EQ(found[i].score, expected[i].score) << i;
  }
}

class VectorSearch : public ::testing::Test {
 protected:
  VectorIndex index_of(const Tensor& rows, const std::string& name = "x.safetensors") const {
    if (name.ends_with(".npy")) {
      put(folder / name, npy_header(rows.size(0), rows.size(1)) +
                             std::string(reinterpret_cast<const char*>(rows.view().data),
                                         static_cast<size_t>(rows.numel()) * sizeof(float)));
    } else {
      write_safetensors(folder / name, {{"embeddings", rows}});
    }
    return VectorIndex(folder / name);
  }
  // An index of two rows with texts.
  std::string written() const {
    VectorWriter writer(folder / "v.npy", 2);
    writer.add(std::vector<float>{1, 0}, "the \"dog\"\n\tran\x01");
    writer.add(std::vector<float>{0, 1}, "狗");
    writer.commit();
    return (folder / "v.npy").string();
  }
  const TemporaryFolder folder{in_memory()};
};

using VectorSearchFaults = VectorSearch;

TEST_F(VectorSearch, FindsWhatAPlainLoopFinds) {
  // More rows than a block has, so that both threads and blocks matter.
  const Tensor rows = random_rows(5000, 96, 1), queries = random_rows(5, 96, 2);
  const VectorIndex index = index_of(rows, "x.npy");
  EXPECT_EQ(index.rows(), 5000);
  EXPECT_EQ(index.width(), 96);
  const std::vector<std::vector<NearRow>> found = index.search(queries, 10);
  ASSERT_EQ(found.size(), 5u);
  for (int64_t q = 0; q < 5; ++q) {
    expect_same(found[static_cast<size_t>(q)], expected_rows(rows, row_of(queries, q), 10));
  }
}

TEST_F(VectorSearch, DoesNotDependOnThreadsOrOtherQueries) {
  const Tensor rows = random_rows(9000, 40, 3), queries = random_rows(150, 40, 4);
  const VectorIndex index = index_of(rows);
  const std::vector<std::vector<NearRow>> together = index.search(queries, 7);
  const int before = threads();
  for (const int count : {1, 3, 7}) {
    set_threads(count);
    const std::vector<std::vector<NearRow>> again = index.search(queries, 7);
    for (size_t q = 0; q < again.size(); ++q) expect_same(again[q], together[q]);
  }
  set_threads(before);
  for (const int64_t q : {0, 77, 149}) {
    expect_same(index.search(queries.rows(q, q + 1), 7)[0], together[static_cast<size_t>(q)]);
  }
}

TEST_F(VectorSearch, OfEqualRowsTheLowerIsFirst) {
  Tensor rows = random_rows(4000, 8, 5);
  for (const int64_t copy : {3999, 17, 2222}) rows.rows(copy, copy + 1).copy_from(rows.rows(800, 801));
  const std::vector<NearRow> found = index_of(rows).search(rows.rows(800, 801).clone(), 3)[0];
  ASSERT_EQ(found.size(), 3u);
  EXPECT_EQ(found[0].row, 17);
  EXPECT_EQ(found[1].row, 800);
  EXPECT_EQ(found[2].row, 2222);
  EXPECT_NEAR(found[0].score, 1, 1e-12);
}

TEST_F(VectorSearch, MoreResultsThanRows) {
  const Tensor rows = random_rows(3, 4, 6);
  expect_same(index_of(rows).search(rows.rows(0, 1), 10)[0], expected_rows(rows, row_of(rows, 0), 10));
  EXPECT_TRUE(index_of(Tensor::zeros({0, 4})).search(rows, 10)[2].empty());
}

// An f32 product with these rows overflows, or is zero.
TEST_F(VectorSearch, VeryLongAndVeryShortRows) {
  const Tensor rows = Tensor::of({4, 2}, {3e38f, 3e38f, 1e-40f, 1e-40f, 1.0f, 0.9f, -3e38f, 1e-40f});
  const Tensor query = Tensor::of({1, 2}, {2e38f, 2e38f});
  const std::vector<NearRow> found = index_of(rows).search(query, 4)[0];
  expect_same(found, expected_rows(rows, row_of(query, 0), 4));
  EXPECT_EQ(found[0].row, 0);
  EXPECT_NEAR(found[1].score, 1, 1e-12);
}

// As cosine() of the same vectors: no direction is similar to none.
TEST_F(VectorSearch, AZeroVectorHasTheScoreZero) {
  const Tensor rows = Tensor::of({3, 2}, {-1.0f, 0.0f, 0.0f, 0.0f, 1.0f, 1.0f});
  const std::vector<NearRow> found = index_of(rows).search(Tensor::of({1, 2}, {1.0f, 0.0f}), 3)[0];
  EXPECT_EQ(found[1].row, 1);
  EXPECT_EQ(found[1].score, 0);
  EXPECT_EQ(found[2].score, -1);
  EXPECT_EQ(index_of(rows).search(Tensor::zeros({1, 2}), 1)[0][0].score, 0);
}

RC_GTEST_PROP(VectorSearchProperties, AnyRowsAndQueries, ()) {
  const auto number = rc::gen::map(rc::gen::inRange(-3, 4), [](int i) { return static_cast<float>(i) / 2; });
  const int64_t rows = *rc::gen::inRange(1, 60), width = *rc::gen::inRange(1, 5);
  const auto values = *rc::gen::container<std::vector<float>>(static_cast<size_t>(rows * width), number);
  const auto asked = *rc::gen::container<std::vector<float>>(static_cast<size_t>(width), number);
  const auto top = static_cast<size_t>(*rc::gen::inRange(1, 70));
  const Tensor table = Tensor::of({rows, width}, values), query = Tensor::of({1, width}, asked);
  NearestRows nearest(query, top);
  const int64_t cut = *rc::gen::inRange<int64_t>(0, rows + 1);
  nearest.add(table.rows(cut, rows), cut);
  nearest.add(table.rows(0, cut), 0);
  expect_same(nearest.best()[0], expected_rows(table, asked, top));
}

// tools/golden/npy.py and the same numbers in safetensors files.
TEST_F(VectorSearch, ReadsOtherFormats) {
  std::vector<float> values;
  for (int i = 0; i < 12; ++i) values.push_back(static_cast<float>(i / 4) - static_cast<float>(i % 4) / 4);
  const Tensor rows = Tensor::of({3, 4}, values), query = Tensor::of({1, 4}, {1.0f, 2.0f, -1.0f, 0.5f});
  const std::vector<NearRow> expected = expected_rows(rows, row_of(query, 0), 3);
  for (const char* name : {"f2", "f4", "f8", "version2"}) {
    expect_same(VectorIndex(LOCUS_GOLDEN "/npy/" + std::string(name) + ".npy").search(query, 3)[0], expected);
  }
  for (const DType dtype : {DType::f16, DType::bf16, DType::f64}) {
    const Tensor stored = Tensor::empty({3, 4}, dtype);
    visit_float(dtype, [&]<class Number>(Number) {
      for (size_t i = 0; i < values.size(); ++i) {
        if constexpr (std::is_same_v<Number, F16>) stored.data<Number>()[i] = to_f16(values[i]);
        if constexpr (std::is_same_v<Number, Bf16>) stored.data<Number>()[i] = to_bf16(values[i]);
        if constexpr (std::is_same_v<Number, double>) stored.data<Number>()[i] = values[i];
      }
    });
    write_safetensors(folder / "other.safetensors", {{"vectors", stored}});
    expect_same(VectorIndex(folder / "other.safetensors").search(query, 3)[0], expected);
  }
}

TEST_F(VectorSearch, KeepsTheTexts) {
  const VectorIndex index(written());
  ASSERT_TRUE(index.has_texts());
  EXPECT_EQ(index.text(0), "the \"dog\"\n\tran\x01");
  EXPECT_EQ(index.text(1), "狗");
  EXPECT_FALSE(index_of(Tensor::zeros({1, 2})).has_texts());
  expect_error(Fault::data, Code::missing_file, {"x.safetensors.jsonl"}, [&] {
    index_of(Tensor::zeros({1, 2})).text(0);
  });
  expect_error(Fault::data, {"2", "0"}, [&] { index.text(2); });
}

TEST_F(VectorSearch, WritesBothFilesOrNone) {
  {
    VectorWriter writer(folder / "v.npy", 2);
    writer.add(std::vector<float>{1, 0}, "a");
    expect_error(Fault::data, Code::bad_shape, {"row 1", "3", "2"}, [&] {
      writer.add(std::vector<float>{1, 0, 0}, "b");
    });
  }
  EXPECT_TRUE(std::filesystem::is_empty(folder.path()));
  VectorWriter writer(folder / "v.safetensors", 2);
  writer.add(std::vector<float>{1, 0}, "a");
  writer.commit();
  EXPECT_EQ(SafetensorsFile(folder / "v.safetensors").read("embeddings").values(),
            (std::vector<float>{1, 0}));
  EXPECT_EQ(VectorIndex(folder / "v.safetensors").text(0), "a");
  expect_error(Fault::usage, {"v.txt", ".npy", ".safetensors"}, [&] { VectorWriter(folder / "v.txt", 2); });
}

TEST_F(VectorSearchFaults, TextsOfOtherVectors) {
  const std::string path = written();
  const std::string lines = read_file(path + ".jsonl"), first = lines.substr(0, lines.find('\n') + 1);
  put(path + ".jsonl", first);
  expect_error(Fault::data, Code::damaged_file, {"v.npy.jsonl", "1", "2"}, [&] { VectorIndex index(path); });
  put(path + ".jsonl", first + first);
  EXPECT_EQ(VectorIndex(path).text(0), "the \"dog\"\n\tran\x01");
  expect_error(Fault::data, Code::damaged_file, {"line 2", "checksum", "row 1"},
               [&] { VectorIndex(path).text(1); });
  put(path + ".jsonl", "{}\n[\n");
  expect_error(Fault::data, {"line 1", "v.npy.jsonl"}, [&] { VectorIndex(path).text(0); });
  expect_error(Fault::data, {"line 2", "v.npy.jsonl"}, [&] { VectorIndex(path).text(1); });
}

TEST_F(VectorSearchFaults, NameTheRowThatIsNotFinite) {
  Tensor rows = random_rows(9000, 40, 8);
  for (const int64_t bad : {8999, 4321, 6000}) {
    rows.rows(bad, bad + 1).data<float>()[3] =
        bad == 6000 ? std::numeric_limits<float>::infinity() : std::nanf("");
  }
  for (int i = 0; i < 5; ++i) {
    expect_error(Fault::data, {"x.safetensors", "row 4321"},
                 [&] { index_of(rows).search(rows.rows(0, 1), 1); });
  }
  expect_error(Fault::data, {"query 0"}, [&] {
    index_of(rows.rows(0, 5))
        .search(Tensor::of({2, 40}, std::vector<float>(80, std::nanf(""))).rows(0, 2), 1);
  });
}

TEST_F(VectorSearchFaults, NameSizesAndTypes) {
  const VectorIndex index = index_of(Tensor::full({3, 4}, 1));
  expect_error(Fault::data, Code::bad_shape, {"[1, 5]", "4"}, [&] {
    index.search(Tensor::zeros({1, 5}), 1);
  });
  expect_error(Fault::data, Code::bad_shape, {"[5]"}, [&] { index.search(Tensor::zeros({5}), 1); });
  expect_error(Fault::data, {"0", "1"}, [&] { index.search(Tensor::zeros({1, 4}), 0); });
  expect_error(Fault::data, Code::bad_shape, {"[3, 0]"}, [&] { index_of(Tensor::zeros({3, 0})); });
  expect_error(Fault::data, Code::bad_shape, {"[6]"}, [&] { index_of(Tensor::zeros({6})); });
  expect_error(Fault::data, Code::bad_shape, {"i32"}, [&] { index_of(Tensor::empty({3, 4}, DType::i32)); });
  write_safetensors(folder / "two.safetensors", {{"a", Tensor::zeros({1, 1})}, {"b", Tensor::zeros({1, 1})}});
  expect_error(Fault::data, {"two.safetensors", "2", "embeddings"},
               [&] { VectorIndex(folder / "two.safetensors"); });
  expect_error(Fault::usage, {"x.txt", ".npy"}, [&] { VectorIndex(folder / "x.txt"); });
  expect_error(Fault::io, Code::missing_file, {"none.npy"}, [&] { VectorIndex(folder / "none.npy"); });
}

}  // namespace
}  // namespace locus
