#include "cli/help_text.h"

#include <gtest/gtest.h>

namespace hone::cli {
namespace {

// Given text that fits / when it is fitted / then it stays as it is.
TEST(HelpText, WhatFitsStays) {
  EXPECT_EQ(fit_help("Examples:\n  hone up      serve\nDone."), "Examples:\n  hone up      serve\nDone.");
}

// Given an example that is too long / when it is fitted / then its command can still be typed, and what it does stands below.
TEST(HelpText, LongExamplesAreBrokenAsAShellHasThem) {
  EXPECT_EQ(fit_help("  hone agent --tracker 'http://127.0.0.1:9190/agent/#token=…' --browser firefox --target webgpu  WebGPU in a headless Firefox"),
            "  hone agent --tracker 'http://127.0.0.1:9190/agent/#token=…' \\\n"
            "      --browser firefox --target webgpu\n"
            "      WebGPU in a headless Firefox");
  EXPECT_EQ(fit_help("  hone records best --task 3f2a --trace > best.json; hone compile --op matmul:512x512x512 --trace best.json"),
            "  hone records best --task 3f2a --trace > best.json;\n"
            "      hone compile --op matmul:512x512x512 --trace best.json");
}

// Given a long sentence, and a word longer than a line / when fitted / then lines end between words, and the word is kept whole.
TEST(HelpText, SentencesEndBetweenWords) {
  EXPECT_EQ(fit_help("Exit codes: 0 done, 1 the job failed, 2 wrong usage, 3 no device matched in time, 130 interrupted."),
            "Exit codes: 0 done, 1 the job failed, 2 wrong usage, 3 no device matched in\ntime, 130 interrupted.");
  EXPECT_EQ(fit_help(std::string(90, 'x')), std::string(90, 'x'));
}

// Given words with characters of several bytes / when wrapped / then columns count, not bytes, and a long word has its own line.
TEST(HelpText, WordsAreWrappedByColumns) {
  EXPECT_EQ(wrapped("×× ×× ××", 5), "×× ××\n××");
  EXPECT_EQ(wrapped("a toolongword b", 4), "a\ntoolongword\nb");
  EXPECT_EQ(wrapped("", 4), "");
}

}  // namespace
}  // namespace hone::cli
