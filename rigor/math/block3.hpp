#pragma once

namespace rigor {

/// A 3 x 3 block by columns, each column padded to one register of four doubles; the fourth is zero.
struct alignas(32) Block3 {
  double v[12];

  static Block3 zero() { return {}; }
  static Block3 identity() { return {{1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0}}; }
  [[nodiscard]] double operator()(int row, int column) const { return v[4 * column + row]; }
  double& operator()(int row, int column) { return v[4 * column + row]; }
};

/// Three numbers in one register, the fourth is zero.
struct alignas(32) Padded3 {
  double v[4];
};

/// One column of a block. Arithmetic goes lane by lane and without fused multiply-add, so that machines
/// without AVX, where the compiler makes two halves of it, give the same bits.
typedef double Column3 __attribute__((vector_size(32), may_alias));

/// Two columns side by side, of two blocks above each other.
typedef double TwinColumn __attribute__((vector_size(64), may_alias));

/// A loop over blocks that call_with_avx() may compile twice.
#define RIGOR_KERNEL inline __attribute__((always_inline))

RIGOR_KERNEL const Column3* columns_of(const Block3& block) {
  return reinterpret_cast<const Column3*>(block.v);
}
RIGOR_KERNEL Column3* columns_of(Block3& block) {
  return reinterpret_cast<Column3*>(block.v);
}
RIGOR_KERNEL const Column3& column_of(const Padded3& padded) {
  return *reinterpret_cast<const Column3*>(padded.v);
}
RIGOR_KERNEL Column3& column_of(Padded3& padded) {
  return *reinterpret_cast<Column3*>(padded.v);
}

#if defined(__x86_64__) && defined(__GNUC__)
template <auto kernel, class... Arguments>
__attribute__((target("avx"))) void call_compiled_for_avx(Arguments... arguments) {
  kernel(arguments...);
}
template <auto kernel, class... Arguments>
__attribute__((target("avx512f"))) void call_compiled_for_avx512(Arguments... arguments) {
  kernel(arguments...);
}
#endif

/// Numbers wherever they lie, not only at multiples of a register's size: compilers differ in what they make of a pointer
/// to vectors of less alignment, so these are copies, of one instruction each.
template <class Vector>
RIGOR_KERNEL void load_lanes(const double* from, Vector& to) {
  __builtin_memcpy(&to, from, sizeof to);
}
template <class Vector>
RIGOR_KERNEL void store_lanes(const Vector& from, double* to) {
  __builtin_memcpy(to, &from, sizeof from);
}

RIGOR_KERNEL bool is_zero(const Block3& block) {
  const Column3* const B = columns_of(block);
  const Column3 squares = B[0] * B[0] + B[1] * B[1] + B[2] * B[2];
  return squares[0] + squares[1] + squares[2] == 0.0;
}

/// kernel(arguments…), a RIGOR_KERNEL, compiled for AVX where the machine has it: the same bits, sooner.
template <auto kernel, class... Arguments>
void call_with_avx(Arguments... arguments) {
#if defined(__x86_64__) && defined(__GNUC__)
  static const bool has_avx = __builtin_cpu_supports("avx") != 0;
  if (has_avx) return call_compiled_for_avx<kernel>(arguments...);
#endif
  kernel(arguments...);
}

/// The same for kernels of TwinColumns, which a machine with AVX-512 keeps in one register.
template <auto kernel, class... Arguments>
void call_with_avx512(Arguments... arguments) {
#if defined(__x86_64__) && defined(__GNUC__)
  static const bool has_avx512 = __builtin_cpu_supports("avx512f") != 0;
  if (has_avx512) return call_compiled_for_avx512<kernel>(arguments...);
#endif
  call_with_avx<kernel>(arguments...);
}

}  // namespace rigor
