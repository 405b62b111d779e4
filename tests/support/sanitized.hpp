#pragma once

// 1 in builds with AddressSanitizer or ThreadSanitizer, else 0.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define RIGOR_SANITIZED 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define RIGOR_SANITIZED 1
#endif
#endif
#ifndef RIGOR_SANITIZED
#define RIGOR_SANITIZED 0
#endif

namespace rigor {

/// Ten times slower: counts that only repeat are cut.
inline constexpr bool kSanitized = RIGOR_SANITIZED != 0;

}  // namespace rigor
