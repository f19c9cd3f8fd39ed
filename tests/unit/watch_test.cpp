// Ending long computations, and the names of classes as their labels were.
#include <atomic>
#include <stdexcept>

#include "core/parallel.hpp"
#include "postil/watch.hpp"
#include "support.hpp"

namespace postil {
namespace {

TEST(Watch, HearsHowFarItIsAndEndsIt) {
  look_up("nobody listens", 1);
  std::vector<std::uint64_t> heard;
  const Watch watch([&](std::string_view what, std::uint64_t done) {
    EXPECT_EQ(what, "steps");
    heard.push_back(done);
    if (done == 3) throw std::runtime_error("enough");
  });
  EXPECT_THROW(
      {
        for (std::uint64_t k = 1; k < 10; ++k) look_up("steps", k);
      },
      std::runtime_error);
  EXPECT_EQ(heard, (std::vector<std::uint64_t>{1, 2, 3}));
  EXPECT_THROW(look_up("steps", 4), WatchEnded);  // what goes on in spite of it
}

TEST(Watch, TheInnerOneListens) {
  int outer = 0, inner = 0;
  const Watch first([&](std::string_view, std::uint64_t) { ++outer; });
  {
    const Watch second([&](std::string_view, std::uint64_t) { ++inner; });
    look_up();
  }
  look_up();
  EXPECT_EQ(outer, 1);
  EXPECT_EQ(inner, 1);
}

TEST(Watch, EndsTheThreadsThatWorkForIt) {
  std::atomic<int> done = 0;
  int looks = 0;
  const Watch watch([&](std::string_view, std::uint64_t) {
    if (++looks == 5) throw std::runtime_error("enough");
  });
  const auto work = [&](std::size_t) {
    in_parallel(
        4, [&](std::size_t) { ++done; }, 2);  // and those that work for these
  };
  EXPECT_THROW(in_parallel(1'000'000, work, 4), std::runtime_error);  // not WatchEnded
  EXPECT_LT(done, 4'000'000);
}

TEST(LabelNames, NumbersHaveOneSpellingAndTextHasItsOwn) {
  EXPECT_EQ(canonical_label("+1"), "1");
  EXPECT_EQ(canonical_label("1.0"), "1");
  EXPECT_EQ(canonical_label("01"), "1");
  EXPECT_EQ(canonical_label("01", LabelKind::text), "01");
  EXPECT_EQ(canonical_label("+", LabelKind::text), "+");
  EXPECT_EQ(canonical_label("9007199254740993"), "9007199254740993");
  EXPECT_EQ(canonical_label("+00123456789012345678901234567890"), "123456789012345678901234567890");
  EXPECT_EQ(canonical_label("-9223372036854775808"), "-9223372036854775808");
  EXPECT_EQ(canonical_label("999999999999999"), "999999999999999");
  EXPECT_EQ(canonical_label("1e3"), "1000");
  EXPECT_EQ(ordered_classes({"9007199254740993", "10", "b", "9007199254740992", "9", "a"}),
            (std::vector<std::string>{"9", "10", "9007199254740992", "9007199254740993", "a", "b"}));
  for (const LabelKind kind :
       {LabelKind::unknown, LabelKind::text, LabelKind::integer, LabelKind::number, LabelKind::truth})
    EXPECT_EQ(label_kind_of(word(kind)), kind);
  EXPECT_THROW(label_kind_of("letters"), ParamError);
}

}  // namespace
}  // namespace postil
