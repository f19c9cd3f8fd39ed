# Flags for our own code; not passed on to those who use the library.
add_library(postil_flags INTERFACE)
target_compile_options(postil_flags INTERFACE
  -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wno-sign-conversion -Wnon-virtual-dtor -Wold-style-cast
  -ffp-contract=off)   # the same bits with and without fused multiply-add
if(POSTIL_WERROR)
  target_compile_options(postil_flags INTERFACE -Werror)
endif()

# Sanitizers, with clang. "address": address and undefined behaviour, and the same objects serve the fuzzers; "thread".
set(POSTIL_SANITIZE "" CACHE STRING "Build with sanitizers: address or thread (clang)")
if(POSTIL_SANITIZE STREQUAL "address")
  set(POSTIL_SANITIZERS -fsanitize=address,undefined -fno-sanitize=vptr,null,alignment,object-size -fno-sanitize-recover=undefined)
  target_compile_options(postil_flags INTERFACE ${POSTIL_SANITIZERS} -fsanitize=fuzzer-no-link -fno-omit-frame-pointer)
  add_link_options(${POSTIL_SANITIZERS})
elseif(POSTIL_SANITIZE STREQUAL "thread")
  # The loader picks versions of functions before the sanitizer has begun, which it does not survive: one version only.
  target_compile_options(postil_flags INTERFACE -fsanitize=thread -fno-omit-frame-pointer -DPOSTIL_NO_DISPATCH)
  add_link_options(-fsanitize=thread)
elseif(POSTIL_SANITIZE)
  message(FATAL_ERROR "POSTIL_SANITIZE is '${POSTIL_SANITIZE}', expected address, thread or nothing")
else()
  # Protections that cost next to nothing (tests/cli/test_protections.py reads them from the binary).
  include(CheckPIESupported)
  check_pie_supported(LANGUAGES CXX)
  target_compile_options(postil_flags INTERFACE -fstack-protector-strong -fstack-clash-protection)
  if(CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|AMD64")
    target_compile_options(postil_flags INTERFACE -fcf-protection=full)
  endif()
  target_compile_options(postil_flags INTERFACE $<$<NOT:$<CONFIG:Debug>>:-U_FORTIFY_SOURCE> $<$<NOT:$<CONFIG:Debug>>:-D_FORTIFY_SOURCE=2>)
  target_link_options(postil_flags INTERFACE -Wl,-z,relro,-z,now,-z,noexecstack)
endif()
