// SPDX-License-Identifier: MIT
#include "peers.hpp"

#include <gtest/gtest.h>

#include "options.hpp"

namespace ab::cli {
namespace {

std::string fake(const char* name) {
  return std::string(AB_FAKES) + "/fake_blas_" + name + ".so";
}

TEST(Peers, TellWhatTheyAre) {
  const std::vector<Peer> peers = open_peers({fake("full"), fake("fortran"), fake("full")});
  ASSERT_EQ(peers.size(), 3u);
  EXPECT_EQ(peers[0].file, fake("full"));
  EXPECT_EQ(peers[0].name, "OpenBLAS 9.8.7 Haswell");
  EXPECT_EQ(peers[0].kernel, "Haswell");
  EXPECT_EQ(peers[0].threads, 3);
  EXPECT_EQ(peers[0].library.version, "OpenBLAS 9.8.7");
  EXPECT_EQ(peers[1].name, "fake_blas_fortran.so");
  EXPECT_EQ(peers[1].kernel, "");
  EXPECT_EQ(peers[1].threads, std::nullopt);
  EXPECT_NE(peers[0].library.of(*find_routine("dgemm")).fortran, peers[1].library.of(*find_routine("dgemm")).fortran);
  EXPECT_EQ(peers[2].name, "OpenBLAS 9.8.7 Haswell #2");
}

TEST(Peers, WhatCannotServeIsNamed) {
  const struct {
    std::string file;
    const char* says;
  } bad[] = {{"/no/such/library.so", "cannot be opened"}, {fake("half"), "has no dgemm_ and zgemm_"}, {fake("wide"), "64-bit integers"}};
  for (const auto& [file, says] : bad) {
    try {
      open_peers({fake("full"), file});
      ADD_FAILURE() << file;
    } catch (const Failure& failure) {
      EXPECT_EQ(failure.status(), Exit::NotAvailable);
      EXPECT_EQ(std::string(failure.what()).find("--against: " + file), 0u) << failure.what();
      EXPECT_NE(std::string(failure.what()).find(says), std::string::npos) << failure.what();
    }
  }
}

TEST(Peers, ShortNames) {
  const struct {
    const char *file, *version, *kernel, *name;
  } cases[] = {
      {"libblas.so.3", "", "", "libblas.so.3"},
      {"libblis.so.4", "BLIS 0.9.0", "zen3", "BLIS 0.9.0 zen3"},
      {"libmkl_rt.so", "Intel(R) Math Kernel Library Version 2020.0.4 Product Build 1", "Intel(R) 64 processors", "MKL 2020.0.4"},
      {"libmkl_rt.so.2", "Intel(R) oneAPI Math Kernel Library Version 2024.2-Product Build 20240605", "", "MKL 2024.2"},
  };
  for (const auto& [file, version, kernel, name] : cases) {
    host_blas::Library library;
    library.file = file;
    library.version = version;
    EXPECT_EQ(short_name(library, kernel), name);
  }
}

}  // namespace
}  // namespace ab::cli
