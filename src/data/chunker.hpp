// Cuts text into pieces that can be parsed alone.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstring>
#include <memory>
#include <string_view>

#include "postil/row.hpp"
#include "scan_number.hpp"
#include "source.hpp"

namespace postil {

constexpr std::size_t kLongestRecord = 64UL << 20;

// Bytes up to and with the last line end; 0 if there is none.
inline std::size_t complete_lines(std::string_view text) {
  const std::size_t last = text.rfind('\n');
  return last == std::string_view::npos ? 0 : last + 1;
}

inline std::string_view view(const Array<char>& text) { return {text.data(), text.size()}; }

// Cuts the text of a source into chunks that end at a record's end: large ones, or of one record if the source is live.
class Chunker {
 public:
  static constexpr std::size_t kTooLong = ~std::size_t{0};

  Chunker(std::unique_ptr<ByteSource> source, std::size_t chunk_bytes)
      : source_(std::move(source)), live_(source_->live()), chunk_bytes_(chunk_bytes) {}

  // The text that comes next: as many bytes as complete(text) says are whole records, at least one, or all there is.
  // Ends with '\n', or is empty if a record is too long.
  template <class Complete>
  std::string_view peek(const Complete& complete) {
    const std::size_t whole = find(rest_, complete);
    return view(rest_).substr(0, whole == kTooLong ? 0 : whole);
  }
  [[nodiscard]] bool empty() const { return ended_ && rest_.empty(); }
  void drop(std::size_t bytes) {
    rest_.erase(rest_.begin(), rest_.begin() + static_cast<std::ptrdiff_t>(bytes));
    dropped_ += bytes;
  }
  [[nodiscard]] std::uint64_t dropped() const { return dropped_; }  // bytes

  // Puts the next chunk into `text`, with padding behind it that is not counted in the size returned. 0: the end.
  template <class Complete>
  std::size_t next(Array<char>& text, const Complete& complete) {
    text.swap(rest_);
    rest_.clear();
    std::size_t whole = find(text, complete);
    if (whole == kTooLong) return kTooLong;
    if (live_) whole = first_record(view(text), complete);
    rest_.resize(text.size() - whole);
    if (!rest_.empty()) std::memcpy(rest_.data(), text.data() + whole, rest_.size());
    text.resize(whole);
    text.insert(text.end(), kScanPadding, '\0');
    return whole;
  }

  [[nodiscard]] const ByteSource& source() const { return *source_; }
  [[nodiscard]] bool live() const { return live_; }
  [[nodiscard]] std::uint64_t consumed() const { return consumed_.load(std::memory_order_relaxed); }

 private:
  // Reads until `text` holds whole records, or all there is; gives the bytes of them.
  template <class Complete>
  std::size_t find(Array<char>& text, const Complete& complete) {
    for (std::size_t want = std::max(chunk_bytes_, text.size());;) {
      if (live_)  // no need to wait for more
        if (const std::size_t whole = complete(view(text)); whole > 0) return whole;
      fill(text, want);
      const bool cut = live_ && source_->stopped();  // half a record is none
      if (cut) text.resize(complete(view(text)));
      if (ended_ && !cut && !text.empty() && text.back() != '\n') text.push_back('\n');
      const std::size_t whole = ended_ ? text.size() : complete(view(text));
      if (whole > 0 || ended_) return whole;
      if (text.size() < want) continue;
      if (want >= kLongestRecord) return kTooLong;
      want *= 2;
    }
  }

  template <class Complete>
  static std::size_t first_record(std::string_view text, const Complete& complete) {
    for (std::size_t end = text.find('\n'); end != std::string_view::npos; end = text.find('\n', end + 1))
      if (complete(text.substr(0, end + 1)) == end + 1) return end + 1;
    return text.size();
  }

  // Reads until `text` has `size` bytes (live: some) or the source ends.
  void fill(Array<char>& text, std::size_t size) {
    const std::size_t had = text.size();
    if (ended_ || had >= size) return;
    text.resize(size);
    const std::size_t got = source_->read(text.data() + had, size - had);
    consumed_.store(source_->consumed(), std::memory_order_relaxed);
    text.resize(had + got);
    ended_ = live_ ? got == 0 : had + got < size;
  }

  std::unique_ptr<ByteSource> source_;
  bool live_;
  std::size_t chunk_bytes_;
  Array<char> rest_;
  bool ended_ = false;
  std::uint64_t dropped_ = 0;
  std::atomic<std::uint64_t> consumed_{0};
};

}  // namespace postil
