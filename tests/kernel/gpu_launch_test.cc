// Launches of the GPU's kernels, recorded by functions in place of those of the driver: names, grids and
// argument sizes.
#include <gtest/gtest.h>

#include <chrono>
#include <cstring>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "locus/base/error.h"
#include "locus/kernel/cuda/cuda.h"
#include "locus/kernel/cuda/params.h"
#include "locus/tensor/cuda/driver.h"
#include "locus/tensor/cuda/gpu.h"
#include "tests/expect_error.h"

namespace locus::testing {
namespace {

using namespace kernel;

struct Launched {
  std::string name;
  std::array<unsigned, 3> grid;
  unsigned threads;
  size_t argument;  // bytes
  bool operator==(const Launched&) const = default;
};
std::ostream& operator<<(std::ostream& to, const Launched& one) {
  return to << one.name << " {" << one.grid[0] << ", " << one.grid[1] << ", " << one.grid[2] << "} x "
            << one.threads << ", " << one.argument << " bytes";
}

// What the stand-in was asked for. A function handle is the place of its name in `names`.
struct Recorder {
  std::mutex mutex;
  std::vector<Launched> launches;
  std::vector<std::string> names = {""};
  int waits = 0, downloads = 0, gpus = 1, capability = 9;
  size_t free = 1 << 20;
};
Recorder* recorder = nullptr;

template <class T>
T* handle(uintptr_t number) {
  return reinterpret_cast<T*>(number);
}

locus::cuda::Calls stand_in() {
  using namespace locus::cuda;
  Calls calls;
  calls.init = [](unsigned) { return kSuccess; };
  calls.version = [](int* version) { return *version = 13000, kSuccess; };
  calls.count = [](int* count) { return *count = recorder->gpus, kSuccess; };
  calls.device = [](int* device, int ordinal) { return *device = ordinal, kSuccess; };
  calls.name = [](char* name, int length, int) {
    return std::strncpy(name, "Test", static_cast<size_t>(length)), kSuccess;
  };
  calls.attribute = [](int* value, int attribute, int) {
    return *value = attribute == kMajor ? recorder->capability : 100, kSuccess;
  };
  calls.total_memory = [](size_t* bytes, int) { return *bytes = 2 << 20, kSuccess; };
  calls.retain = [](Context* context, int) { return *context = handle<Context_>(1), kSuccess; };
  calls.set_current = [](Context) { return kSuccess; };
  calls.free_memory = [](size_t* free, size_t* total) {
    return *free = recorder->free, *total = 2 << 20, kSuccess;
  };
  calls.new_stream = [](Stream* stream, unsigned) { return *stream = handle<Stream_>(2), kSuccess; };
  calls.wait = [](Stream) { return ++recorder->waits, kSuccess; };
  calls.allocate = [](Address* address, size_t bytes) {
    if (bytes > recorder->free) return kOutOfMemory;
    return *address = 4096, kSuccess;
  };
  calls.release = [](Address) { return kSuccess; };
  calls.upload = [](Address, const void*, size_t, Stream) { return kSuccess; };
  calls.download = [](void* to, Address, size_t bytes, Stream) {
    std::memset(to, 0, bytes);
    return ++recorder->downloads, kSuccess;
  };
  calls.load = [](Module* module, const void*) { return *module = handle<Module_>(3), kSuccess; };
  calls.function = [](Function* function, Module, const char* name) {
    recorder->names.emplace_back(name);
    return *function = handle<Function_>(recorder->names.size() - 1), kSuccess;
  };
  calls.set_attribute = [](Function, int, int) { return kSuccess; };
  calls.launch = [](Function function, unsigned x, unsigned y, unsigned z, unsigned threads, unsigned,
                    unsigned, unsigned, Stream, void**, void** extra) {
    const std::lock_guard lock(recorder->mutex);
    const std::string& name = recorder->names[reinterpret_cast<uintptr_t>(function)];
    recorder->launches.push_back({name, {x, y, z}, threads, *static_cast<size_t*>(extra[3])});
    return kSuccess;
  };
  calls.error_text = [](int, const char** text) { return *text = "an error", kSuccess; };
  return calls;
}

class GpuLaunch : public ::testing::Test {
 protected:
  GpuLaunch() {
    recorder = &recorder_;
    locus::cuda::replace_calls(&calls_);
  }
  ~GpuLaunch() override { locus::cuda::replace_calls(nullptr); }

  const std::vector<Launched>& launches() const { return recorder_.launches; }
  std::vector<std::string> names() const {
    std::vector<std::string> all;
    for (const Launched& one : recorder_.launches) all.push_back(one.name);
    return all;
  }
  // A view of memory that nothing reads.
  static View view(int64_t rows, int64_t cols, DType dtype = DType::f32, int64_t stride = 0) {
    return {reinterpret_cast<std::byte*>(4096), dtype, Device::cpu, rows, cols, stride == 0 ? cols : stride};
  }
  static View ids(int64_t count) { return view(1, count, DType::i32); }

  Recorder recorder_;
  locus::cuda::Calls calls_ = stand_in();
};

#define LOCUS_SKIP_WITHOUT_KERNELS() \
  if (kernel::cuda::compiled().empty()) GTEST_SKIP() << "no kernels for GPUs are compiled in"

TEST_F(GpuLaunch, ElementsAndArguments) {
  LOCUS_SKIP_WITHOUT_KERNELS();
  kernel::cuda::add({view(3, 100), view(3, 100), view(3, 100)});
  kernel::cuda::add({view(0, 100), view(0, 100), view(0, 100)});
  kernel::cuda::norm({.x = view(70, 9), .gamma = view(1, 9), .y = view(70, 9)});
  kernel::cuda::column_sum({view(1000, 300), view(1, 300), view(63, 300)});
  kernel::cuda::scatter_add({.rows = view(40, 257), .ids = ids(40), .table = view(9, 257)});
  using namespace kernel::cuda;
  EXPECT_EQ(launches(), (std::vector<Launched>{
                            {"locus_add", {1, 1, 1}, 256, sizeof(BinaryParams)},
                            {"locus_norm_narrow", {9, 1, 1}, 256, sizeof(NormParams)},
                            {"locus_column_parts", {2, 63, 1}, 256, sizeof(ColumnSumParams)},
                            {"locus_add_parts", {10, 1, 1}, 256, sizeof(ColumnSumParams)},
                            {"locus_scatter_add", {9, 1, 1}, 256, sizeof(ScatterAddParams)},
                        }));
  EXPECT_EQ(recorder_.waits, 0);
}

TEST_F(GpuLaunch, SumsStayOnTheGpu) {
  LOCUS_SKIP_WITHOUT_KERNELS();
  kernel::cuda::sum({view(100, 100), view(1, 1)});
  kernel::cuda::squared_norm({view(100, 100), view(1, 1, DType::f64)});
  kernel::cuda::spread({view(1, 1), view(100, 100)});
  EXPECT_EQ(names(), (std::vector<std::string>{"locus_sum_parts", "locus_sum", "locus_sum_parts", "locus_sum",
                                               "locus_spread"}));
  EXPECT_EQ(recorder_.waits, 0);
  EXPECT_EQ(recorder_.downloads, 0);
}

// The parts of a sum are in memory that the sums of all threads share. A launch takes so long here that
// another thread would launch in between.
TEST_F(GpuLaunch, SumsOfTwoThreadsDoNotMix) {
  LOCUS_SKIP_WITHOUT_KERNELS();
  static decltype(calls_.launch) record;
  record = calls_.launch;
  calls_.launch = [](locus::cuda::Function function, unsigned x, unsigned y, unsigned z, unsigned threads,
                     unsigned u, unsigned v, unsigned shared, locus::cuda::Stream stream, void** parameters,
                     void** extra) {
    const int error = record(function, x, y, z, threads, u, v, shared, stream, parameters, extra);
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
    return error;
  };
  const auto work = [] {
    for (int i = 0; i < 10; ++i) kernel::cuda::sum({view(100, 100), view(1, 1)});
  };
  std::thread other(work);
  work();
  other.join();
  ASSERT_EQ(launches().size(), 40u);
  for (size_t i = 0; i < launches().size(); i += 2) {
    ASSERT_EQ(launches()[i].name, "locus_sum_parts") << i;
    ASSERT_EQ(launches()[i + 1].name, "locus_sum") << i;
  }
}

TEST_F(GpuLaunch, RoomsTermsAndListsOfParameters) {
  LOCUS_SKIP_WITHOUT_KERNELS();
  kernel::cuda::extend_room({.keys = view(3, 40),
                             .values = view(3, 40),
                             .room = {view(160, 16), view(128, 32)},
                             .key_heads = 2,
                             .count = 5});
  kernel::cuda::gather_columns({.table = view(32, 12), .ids = ids(90), .out = view(12, 90)});
  kernel::cuda::gather_columns_backward({.dout = view(12, 90), .ids = ids(90), .dtable = view(32, 12)});
  const DistanceDecayArgs decay = {.r1 = view(1, 12), .r2 = view(1, 12), .out = view(12, 90)};
  kernel::cuda::distance_decay(decay);
  kernel::cuda::distance_decay_backward(
      {.forward = decay, .dout = view(12, 90), .dr1 = view(1, 12), .dr2 = view(1, 12)});
  const PairQuotientArgs pairs = {.c = view(1, 1),
                                  .multiplier = view(1, 1),
                                  .threshold = 512,
                                  .sequences = {ids(3), ids(3), ids(7), ids(9)},
                                  .out = view(30, 1)};
  kernel::cuda::pair_quotient(pairs);
  kernel::cuda::pair_quotient_backward(
      {.forward = pairs, .dout = view(30, 1), .dc = view(1, 1), .dmultiplier = view(1, 1)});
  const AdamWParameter list[] = {{view(2, 300), view(2, 300), view(2, 300), view(2, 300)},
                                 {view(1, 5), view(1, 5), view(1, 5), view(1, 5)}};
  kernel::cuda::adamw({.list = list});
  using namespace kernel::cuda;
  constexpr size_t kColumns = sizeof(GatherColumnsParams), kDecay = sizeof(DistanceDecayParams),
                   kQuotient = sizeof(PairQuotientParams), kAdamW = sizeof(AdamWParams);
  EXPECT_EQ(launches(), (std::vector<Launched>{
                            {"locus_extend_room", {1, 1, 1}, 256, sizeof(ExtendRoomParams)},
                            {"locus_gather_columns", {5, 1, 1}, 256, kColumns},
                            {"locus_gather_columns_backward", {32, 12, 1}, 256, kColumns},
                            {"locus_distance_decay", {5, 1, 1}, 256, kDecay},
                            {"locus_distance_decay_backward", {12, 1, 1}, 256, kDecay},
                            {"locus_pair_quotient", {7, 1, 1}, 256, kQuotient},
                            {"locus_pair_quotient_backward", {1, 1, 1}, 256, kQuotient},
                            {"locus_adamw", {3, 1, 1}, 256, kAdamW},
                            {"locus_adamw", {1, 1, 1}, 256, kAdamW},
                        }));
}

// Large tiles only if they occupy the GPU, which has 100 multiprocessors here.
TEST_F(GpuLaunch, TilesOfProducts) {
  LOCUS_SKIP_WITHOUT_KERNELS();
  const auto multiply = [](int64_t m, int64_t n, Activation activation = Activation::none) {
    kernel::cuda::matmul({.a = view(m, 64),
                          .b = view(64, n),
                          .c = view(m, n),
                          .m = m,
                          .n = n,
                          .k = 64,
                          .activation = activation});
  };
  multiply(1, 1000);
  multiply(17, 1000);
  multiply(1280, 1280);
  multiply(1279, 1152, Activation::gelu);
  constexpr size_t kBytes = sizeof(kernel::cuda::MatmulParams);
  EXPECT_EQ(launches(), (std::vector<Launched>{
                            {"locus_matmul_16", {1, 16, 1}, 256, kBytes},
                            {"locus_matmul_64", {1, 16, 1}, 256, kBytes},
                            {"locus_matmul_128", {10, 10, 1}, 256, kBytes},
                            {"locus_matmul_64", {20, 18, 1}, 256, kBytes},
                            {"locus_activation", {720, 1, 1}, 256, sizeof(kernel::cuda::ActivationParams)},
                        }));
}

// bf16: the tiles, segments of a long k that run in parallel, and copies of what is f32 or not aligned.
TEST_F(GpuLaunch, ProductsOfBf16) {
  LOCUS_SKIP_WITHOUT_KERNELS();
  const auto multiply = [](int64_t m, int64_t n, int64_t k, DType a = DType::bf16, int64_t stride = 0) {
    kernel::cuda::matmul({.a = view(m, k, a, stride),
                          .b = view(n, k, DType::bf16),
                          .c = view(m, n, DType::bf16),
                          .m = m,
                          .n = n,
                          .k = k,
                          .b_transposed = true});
  };
  recorder_.capability = 8;
  recorder_.free = 1 << 28;
  multiply(1, 1000, 64);
  multiply(17, 1000, 64);
  multiply(1280, 1280, 64);
  multiply(12800, 1280, 64);
  multiply(256, 1280, 40960);
  multiply(17, 1000, 64, DType::f32);
  multiply(17, 1000, 64, DType::bf16, 65);
  constexpr size_t kBytes = sizeof(kernel::cuda::ProductParams),
                   kConvert = sizeof(kernel::cuda::ConvertParams);
  EXPECT_EQ(launches(), (std::vector<Launched>{
                            {"locus_product_16_mk_nk", {16, 1, 1}, 128, kBytes},
                            {"locus_product_64_mk_nk", {16, 1, 1}, 128, kBytes},
                            {"locus_product_128_mk_nk", {100, 1, 1}, 128, kBytes},
                            {"locus_product_256_mk_nk", {500, 1, 1}, 256, kBytes},
                            {"locus_product_128_mk_nk", {20, 1, 8}, 128, kBytes},
                            {"locus_product_sums", {160, 1, 1}, 256, kBytes},
                            {"locus_convert", {1, 1, 1}, 256, kConvert},
                            {"locus_product_64_mk_nk", {16, 1, 1}, 128, kBytes},
                            {"locus_convert", {1, 1, 1}, 256, kConvert},
                            {"locus_product_64_mk_nk", {16, 1, 1}, 128, kBytes},
                        }));
}

TEST_F(GpuLaunch, ProductsOfBf16OnHopper) {
  LOCUS_SKIP_WITHOUT_KERNELS();
  for (const int64_t m : {8, 24, 1280, 12800}) {
    kernel::cuda::matmul({.a = view(64, m, DType::bf16),
                          .b = view(64, 1280, DType::bf16),
                          .c = view(m, 1280),
                          .m = m,
                          .n = 1280,
                          .k = 64,
                          .a_transposed = true});
  }
  constexpr size_t kBytes = sizeof(kernel::cuda::ProductParams);
  EXPECT_EQ(launches(), (std::vector<Launched>{
                            {"locus_hopper_64_km_kn", {20, 1, 1}, 128, kBytes},
                            {"locus_hopper_64_km_kn", {20, 1, 1}, 128, kBytes},
                            {"locus_hopper_128_km_kn", {100, 1, 1}, 256, kBytes},
                            {"locus_hopper_256_km_kn", {500, 1, 1}, 256, kBytes},
                        }));
}

// Along y and z a grid has room for 65535 blocks.
TEST_F(GpuLaunch, ProductsOfManyMatricesAndColumns) {
  LOCUS_SKIP_WITHOUT_KERNELS();
  constexpr int64_t kColumns = int64_t{65535} * 64, kBatch = 70'000;
  kernel::cuda::matmul_small_m({.a = view(1, 8), .b = view(kColumns + 100, 8), .c = view(1, kColumns + 100)});
  kernel::cuda::matmul({.a = view(8 * kBatch, 8),
                        .b = view(8 * kBatch, 8),
                        .c = view(8 * kBatch, 8),
                        .m = 8,
                        .n = 8,
                        .k = 8,
                        .batch = kBatch});
  constexpr size_t kBytes = sizeof(kernel::cuda::MatmulParams);
  EXPECT_EQ(launches(), (std::vector<Launched>{
                            {"locus_matmul_128", {1, 32768, 1}, 256, kBytes},
                            {"locus_matmul_16", {1, 2, 1}, 256, kBytes},
                            {"locus_matmul_128", {1, 1, 65535}, 256, kBytes},
                            {"locus_matmul_128", {1, 1, 4465}, 256, kBytes},
                        }));
}

TEST_F(GpuLaunch, AttentionWithEveryGradient) {
  LOCUS_SKIP_WITHOUT_KERNELS();
  constexpr int64_t N = 130, H = 4, G = 2, D = 80, S = 259;
  const View starts = ids(4), positions = ids(N), slots = ids(S);  // three sequences
  AttentionBackwardArgs args = {.forward = {.q = view(N, H * D),
                                            .k = view(N, G * D),
                                            .v = view(N, G * D),
                                            .sequences = {starts, starts, positions, positions},
                                            .heads = H,
                                            .key_heads = G,
                                            .head_size = D,
                                            .by_distance = {view(H, S), 129},
                                            .by_query = {view(11, H * D), slots, 129},
                                            .by_key = {view(11, D), slots, 129},
                                            .dense = view(H, 9000),
                                            .out = view(N, H * D),
                                            .lse = view(N, H)},
                                .dout = view(N, H * D),
                                .dq = view(N, H * D),
                                .dk = view(N, G * D),
                                .dv = view(N, G * D),
                                .dby_distance = view(H, S),
                                .dby_query = view(11, H * D),
                                .dby_key = view(11, D),
                                .ddense = view(H, 9000),
                                .workspace = view(1, 1)};
  EXPECT_EQ(kernel::cuda::attention_backward_workspace(args), N * H + 5 * H * S + 2 * H * S * D);
  kernel::cuda::attention(args.forward);
  kernel::cuda::attention_backward(args);
  using namespace kernel::cuda;
  constexpr size_t kBackward = sizeof(AttentionBackwardParams), kDistance = sizeof(AttentionDistanceParams);
  EXPECT_EQ(launches(), (std::vector<Launched>{
                            {"locus_attention", {5, 4, 2}, 256, sizeof(AttentionParams)},
                            {"locus_attention_delta", {65, 1, 1}, 256, kBackward},
                            {"locus_fill", {141, 1, 1}, 256, sizeof(FillParams)},
                            {"locus_attention_queries", {5, 4, 2}, 256, kBackward},
                            {"locus_attention_keys", {5, 2, 2}, 256, kBackward},
                            {"locus_attention_strips", {2, 4, 1}, 256, sizeof(AttentionStripParams)},
                            {"locus_attention_bands", {5, 4, 2}, 256, kDistance},
                            {"locus_attention_slots", {11, 2, 1}, 256, sizeof(AttentionSlotParams)},
                            {"locus_attention_bands", {5, 4, 2}, 256, kDistance},
                            {"locus_attention_slots", {11, 1, 1}, 256, sizeof(AttentionSlotParams)},
                        }));
}

// Tensor cores: tiles of 128 queries forward and of 64 keys or queries backward, for every head.
TEST_F(GpuLaunch, AttentionInBf16) {
  LOCUS_SKIP_WITHOUT_KERNELS();
  constexpr int64_t N = 300, H = 4, G = 2, D = 128, S = 259;
  const View starts = ids(4), positions = ids(N);  // three sequences
  const auto activation = [](int64_t heads) { return view(N, heads * D, DType::bf16); };
  AttentionBackwardArgs args = {.forward = {.q = activation(H),
                                            .k = activation(G),
                                            .v = activation(G),
                                            .sequences = {starts, starts, positions, positions},
                                            .heads = H,
                                            .key_heads = G,
                                            .head_size = D,
                                            .by_distance = {view(H, S), 129},
                                            .out = activation(H),
                                            .lse = view(N, H)},
                                .dout = activation(H),
                                .dq = activation(H),
                                .dk = activation(G),
                                .dv = activation(G),
                                .dby_distance = view(H, S),
                                .workspace = view(1, 1)};
  EXPECT_EQ(kernel::cuda::attention_backward_workspace(args), 2 * N * H + 7 * H * S);
  kernel::cuda::attention(args.forward);
  kernel::cuda::attention_backward(args);
  args.forward.cap = 3;
  args.dk = args.dv = args.dby_distance = {};
  kernel::cuda::attention_backward(args);
  args.forward.cap = 0;
  args.forward.by_distance = {};
  kernel::cuda::attention(args.forward);
  using namespace kernel::cuda;
  constexpr size_t kForward = sizeof(AttentionMmaParams), kBackward = sizeof(AttentionMmaBackwardParams);
  EXPECT_EQ(launches(), (std::vector<Launched>{
                            {"locus_attention_mma_128_distances", {5 * H, 1, 1}, 128, kForward},
                            {"locus_attention_mma_delta", {75, 1, 1}, 256, kBackward},
                            {"locus_attention_mma_queries_128_distances", {7 * H, 1, 1}, 128, kBackward},
                            {"locus_attention_mma_keys_128_distances", {7 * G, 1, 1}, 128, kBackward},
                            {"locus_attention_mma_distances", {2, H, 1}, 256, kBackward},
                            {"locus_attention_mma_delta", {75, 1, 1}, 256, kBackward},
                            {"locus_attention_mma_queries_128_all", {7 * H, 1, 1}, 128, kBackward},
                            {"locus_attention_mma_128_plain", {5 * H, 1, 1}, 128, kForward},
                        }));
}

// With gaps between positions, a diagonal of a tile has several distances.
TEST_F(GpuLaunch, DistancesWithGaps) {
  LOCUS_SKIP_WITHOUT_KERNELS();
  const View starts = ids(2), positions = ids(9);
  AttentionBackwardArgs args = {.forward = {.q = view(9, 8),
                                            .sequences = {starts, starts, positions, positions, false},
                                            .heads = 1,
                                            .key_heads = 1,
                                            .head_size = 8,
                                            .by_distance = {view(1, 99), 49}},
                                .dby_distance = view(1, 99),
                                .workspace = view(1, 1)};
  EXPECT_EQ(kernel::cuda::attention_backward_workspace(args), 9);
  kernel::cuda::attention_backward(args);
  EXPECT_EQ(names(), (std::vector<std::string>{"locus_attention_delta", "locus_attention_distances"}));
}

TEST_F(GpuLaunch, Failures) {
  const int64_t bytes = 3 << 20;
  expect_error(Fault::resource, {"3145728", "1048576"}, [&] { locus::cuda::allocate(bytes); });
  calls_.launch = [](locus::cuda::Function, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned,
                     unsigned, locus::cuda::Stream, void**, void**) { return 700; };
  const std::byte argument{};
  expect_error(Fault::resource, {"700"}, [&] { locus::cuda::launch(nullptr, {}, std::span(&argument, 1)); });
  calls_.function = [](locus::cuda::Function*, locus::cuda::Module, const char*) { return 500; };
  EXPECT_EQ(locus::cuda::find_function(nullptr, "none"), nullptr);
  calls_.function = [](locus::cuda::Function*, locus::cuda::Module, const char*) { return 700; };
  expect_error(Fault::resource, {"700"}, [] { locus::cuda::find_function(nullptr, "none"); });
}

TEST_F(GpuLaunch, NoGpu) {
  recorder_.gpus = 0;
  EXPECT_EQ(locus::cuda::find().driver, 13000);
  EXPECT_NE(locus::cuda::find().problem, "");
  expect_error(Fault::resource, {}, [] { locus::cuda::wait(); });
  expect_error(Fault::resource, Code::no_gpu, {}, [] { require_usable(Device::cuda); });
  EXPECT_NO_THROW(require_usable(Device::cpu));
}

TEST_F(GpuLaunch, OldGpu) {
  LOCUS_SKIP_WITHOUT_KERNELS();
  EXPECT_NO_THROW(require_usable(Device::cuda));
  recorder_.capability = 7;
  expect_error(Fault::resource, Code::no_gpu, {"Test", "7", "8"}, [] { require_usable(Device::cuda); });
}

}  // namespace
}  // namespace locus::testing
