// One function body, compiled for each instruction set; the loader picks one. The bodies are plain C++, so the portable
// twin of every vector version is the same text, and without contraction to fused operations all give the same bits.
// For functions of one file only: clang 14 gives others a symbol that no other file finds.
#pragma once

#if defined(__x86_64__) && defined(__ELF__) && !defined(POSTIL_NO_DISPATCH)
#define POSTIL_CLONES __attribute__((target_clones("avx512f", "avx2", "default")))
#else
#define POSTIL_CLONES
#endif
