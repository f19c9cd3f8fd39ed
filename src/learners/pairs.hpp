// Several classes in batch learners: each against the rest, or one against one.
#pragma once

#include "postil/learner.hpp"
#include "postil/params.hpp"

namespace postil {

inline constexpr ParamSpec kPairsParam =
    choice_param("multiclass", "ovr", "ovr|ovo",
                 "several classes: each against the rest, or one against one with a vote, as LIBSVM");

inline Rivalry pairs_or_none(const Params& params) {
  const bool pairs = params.all().contains("multiclass") && params.choice("multiclass") == "ovo";
  return pairs ? Rivalry::pairs : Rivalry::none;
}

}  // namespace postil
