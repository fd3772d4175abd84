# Two precompiled headers for all folders: the standard library's headers, and those with GoogleTest's for what links it. A source still includes
# what it uses: with HONE_PCH=OFF, and in the fuzz and wasm presets, there are none. <iostream> is left out: it adds a constructor to each unit.
set(std_headers algorithm array atomic charconv chrono cmath condition_variable cstdint cstdio cstring deque filesystem fstream functional limits
    map memory mutex numeric optional ranges set span sstream string string_view thread tuple unordered_map unordered_set utility variant vector)
list(TRANSFORM std_headers PREPEND "<")
list(TRANSFORM std_headers APPEND ">")

file(CONFIGURE OUTPUT ${CMAKE_BINARY_DIR}/precompiled/empty.cc CONTENT "")
add_library(precompiled_std OBJECT ${CMAKE_BINARY_DIR}/precompiled/empty.cc)
target_precompile_headers(precompiled_std PRIVATE ${std_headers})
add_library(precompiled_gtest OBJECT ${CMAKE_BINARY_DIR}/precompiled/empty.cc)
target_link_libraries(precompiled_gtest PRIVATE GTest::gtest)
target_precompile_headers(precompiled_gtest PRIVATE ${std_headers} <gtest/gtest.h>)

function(precompile_target target)
  get_target_property(type ${target} TYPE)
  if(NOT type MATCHES "^(STATIC_LIBRARY|EXECUTABLE)$")
    return()
  endif()
  get_target_property(linked ${target} LINK_LIBRARIES)
  if(linked MATCHES "GTest::")
    target_precompile_headers(${target} REUSE_FROM precompiled_gtest)
  else()
    target_precompile_headers(${target} REUSE_FROM precompiled_std)
  endif()
endfunction()

function(precompile_folder folder)
  get_property(targets DIRECTORY ${folder} PROPERTY BUILDSYSTEM_TARGETS)
  foreach(target ${targets})
    precompile_target(${target})
  endforeach()
  get_property(folders DIRECTORY ${folder} PROPERTY SUBDIRECTORIES)
  foreach(below ${folders})
    precompile_folder(${below})
  endforeach()
endfunction()

precompile_folder(${CMAKE_SOURCE_DIR})
