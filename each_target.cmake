# What holds of each target, by what it links; included last, when all targets are known.
#
# Programs of tests (what links GoogleTest) are compiled with -O1: their code runs once, the libraries they test keep -O2. Libraries of the
# program itself do not: where two units instantiate the same template the linker takes either, and a slow one would end up in the search.
#
# HONE_PCH: two precompiled headers, the standard library's headers, and those with GoogleTest's. A source still includes what it uses: with
# HONE_PCH=OFF, with clang and for WebAssembly there are none. <iostream> is left out: it adds a constructor to each unit.
set(std_headers algorithm array atomic charconv chrono cmath condition_variable cstdint cstdio cstring deque filesystem fstream functional limits
    map memory mutex numeric optional ranges set span sstream string string_view thread tuple unordered_map unordered_set utility variant vector)
list(TRANSFORM std_headers PREPEND "<")
list(TRANSFORM std_headers APPEND ">")
set(test_options $<$<CONFIG:Release>:-O1>)

if(HONE_PCH AND CMAKE_CXX_COMPILER_ID STREQUAL GNU)
  set(precompiles TRUE)
  file(CONFIGURE OUTPUT ${CMAKE_BINARY_DIR}/precompiled/empty.cc CONTENT "")
  add_library(precompiled_std OBJECT ${CMAKE_BINARY_DIR}/precompiled/empty.cc)
  target_precompile_headers(precompiled_std PRIVATE ${std_headers})
  add_library(precompiled_gtest OBJECT ${CMAKE_BINARY_DIR}/precompiled/empty.cc)
  target_link_libraries(precompiled_gtest PRIVATE GTest::gtest)
  target_compile_options(precompiled_gtest PRIVATE ${test_options})
  target_precompile_headers(precompiled_gtest PRIVATE ${std_headers} <gtest/gtest.h>)
endif()

function(finish_target target)
  get_target_property(type ${target} TYPE)
  if(NOT type MATCHES "^(STATIC_LIBRARY|EXECUTABLE)$")
    return()
  endif()
  get_target_property(linked ${target} LINK_LIBRARIES)
  set(precompiled precompiled_std)
  if(linked MATCHES "GTest::")
    set(precompiled precompiled_gtest)
    target_compile_options(${target} PRIVATE ${test_options})
  endif()
  if(precompiles)
    target_precompile_headers(${target} REUSE_FROM ${precompiled})
  endif()
endfunction()

function(finish_folder folder)
  get_property(targets DIRECTORY ${folder} PROPERTY BUILDSYSTEM_TARGETS)
  foreach(target ${targets})
    finish_target(${target})
  endforeach()
  get_property(folders DIRECTORY ${folder} PROPERTY SUBDIRECTORIES)
  foreach(below ${folders})
    finish_folder(${below})
  endforeach()
endfunction()

finish_folder(${CMAKE_SOURCE_DIR})
