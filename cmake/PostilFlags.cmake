# Flags for our own code; not passed on to those who use the library.
add_library(postil_flags INTERFACE)
target_compile_options(postil_flags INTERFACE
  -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wno-sign-conversion -Wnon-virtual-dtor -Wold-style-cast
  -ffp-contract=off)   # the same bits with and without fused multiply-add
if(POSTIL_WERROR)
  target_compile_options(postil_flags INTERFACE -Werror)
endif()

# clang's sanitizers; the same objects serve the sanitized tests and the fuzzers.
option(POSTIL_SANITIZE "Build with address and undefined-behaviour sanitizers (clang)" OFF)
if(POSTIL_SANITIZE)
  set(POSTIL_SANITIZERS -fsanitize=address,undefined -fno-sanitize=vptr,null,alignment,object-size -fno-sanitize-recover=undefined)
  target_compile_options(postil_flags INTERFACE ${POSTIL_SANITIZERS} -fsanitize=fuzzer-no-link -fno-omit-frame-pointer)
  add_link_options(${POSTIL_SANITIZERS})
endif()
