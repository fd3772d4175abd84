# What holds of each target, by what it links; included last, when all targets are known.
#
# -O1 where speed is not needed: programs of tests (what links GoogleTest), whose code runs once, and the folders that wait for people, sockets
# and files. The compiler and the search keep -O2.
#
# HONE_PCH: precompiled headers, the standard library's for each of -O1 and -O2, and those with GoogleTest's. A source still includes what it uses: with
# HONE_PCH=OFF, with clang and for WebAssembly there are none. <iostream> is left out: it adds a constructor to each unit.
#
# HONE_UNITY: a library's sources are compiled four at a time, so that what templates they share is compiled once: 40 % less time from nothing.
# Names in unnamed namespaces of one folder differ for it. One edited file compiles faster with HONE_UNITY=OFF.
set(std_headers algorithm array atomic charconv chrono cmath condition_variable cstdint cstdio cstring deque filesystem fstream functional limits
    map memory mutex numeric optional ranges set span sstream string string_view thread tuple unordered_map unordered_set utility variant vector)
list(TRANSFORM std_headers PREPEND "<")
list(TRANSFORM std_headers APPEND ">")
set(slow_options $<$<CONFIG:Release>:-O1>)
set(slow_folders "^(cli|server|tracker|schema|base/net|browser-agent/launch)(/|$)")

if(HONE_PCH AND CMAKE_CXX_COMPILER_ID STREQUAL GNU)
  set(precompiles TRUE)
  file(CONFIGURE OUTPUT ${CMAKE_BINARY_DIR}/precompiled/empty.cc CONTENT "")
  add_library(precompiled_std OBJECT ${CMAKE_BINARY_DIR}/precompiled/empty.cc)
  target_precompile_headers(precompiled_std PRIVATE ${std_headers})
  add_library(precompiled_slow OBJECT ${CMAKE_BINARY_DIR}/precompiled/empty.cc)
  target_compile_options(precompiled_slow PRIVATE ${slow_options})
  target_precompile_headers(precompiled_slow PRIVATE ${std_headers})
  add_library(precompiled_gtest OBJECT ${CMAKE_BINARY_DIR}/precompiled/empty.cc)
  target_link_libraries(precompiled_gtest PRIVATE GTest::gtest)
  target_compile_options(precompiled_gtest PRIVATE ${slow_options})
  target_precompile_headers(precompiled_gtest PRIVATE ${std_headers} <gtest/gtest.h>)
endif()

function(finish_target target)
  get_target_property(type ${target} TYPE)
  if(NOT type MATCHES "^(STATIC_LIBRARY|EXECUTABLE)$")
    return()
  endif()
  get_target_property(linked ${target} LINK_LIBRARIES)
  get_target_property(folder ${target} SOURCE_DIR)
  file(RELATIVE_PATH folder ${CMAKE_SOURCE_DIR} ${folder})
  set(precompiled precompiled_std)
  if(linked MATCHES "GTest::")
    set(precompiled precompiled_gtest)
  elseif(folder MATCHES "${slow_folders}")
    set(precompiled precompiled_slow)
  endif()
  if(NOT precompiled STREQUAL precompiled_std)
    target_compile_options(${target} PRIVATE ${slow_options})
  endif()
  if(HONE_UNITY AND type STREQUAL STATIC_LIBRARY)
    set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_BATCH_SIZE 4)
    target_compile_options(${target} PRIVATE -Wno-subobject-linkage)  # sees the second source of a unit as a header
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
