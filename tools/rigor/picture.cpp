#include <fmt/format.h>

#include <cmath>
#include <cstdio>
#include <fstream>

#include "rigor/io/recording_file.hpp"
#include "rigor/io/source_text.hpp"
#include "tools/rigor/browser.hpp"
#include "tools/rigor/commands.hpp"
#include "tools/rigor/page.hpp"
#include "tools/rigor/say.hpp"
#include "tools/rigor/terminal.hpp"

namespace rigor {
namespace {

constexpr std::size_t kMostBytes = std::size_t{2} << 30;  // of a picture or a video

// Writes the page of a recording to a folder; returns when it ends.
double write_scratch_page(const std::string& recording, const std::filesystem::path& page) {
  require_page();
  const RecordingContent content = read_recording(recording);
  if (!content.damage.empty()) complain("rigor: {}\n", content.damage);
  require(!content.recording.frames.empty(), "{}: has no frame to show.", recording);
  write_page(page.string(), {{&content.recording, ""}});
  return content.recording.frames.back().t;
}

std::string fragment_of(const PictureRequest& request) {
  return fmt::format("theme={}{}", request.dark ? "dark" : "light", request.page ? "" : "&bare=1");
}

std::string decode_base64(std::string_view text) {
  std::string bytes;
  std::uint32_t word = 0;
  int bits = 0;
  for (const char c : text) {
    const int digit = c >= 'A' && c <= 'Z'   ? c - 'A'
                      : c >= 'a' && c <= 'z' ? c - 'a' + 26
                      : c >= '0' && c <= '9' ? c - '0' + 52
                      : c == '+'             ? 62
                      : c == '/'             ? 63
                                             : -1;
    if (digit < 0) break;
    word = word << 6 | static_cast<std::uint32_t>(digit);
    if ((bits += 6) >= 8) bytes += static_cast<char>(word >> (bits -= 8) & 0xFFu);
  }
  return bytes;
}

// The pictures that the page wrote into its own text, as files 000000.png, …; how many there are.
int save_pictures(const std::filesystem::path& text, const std::filesystem::path& folder, int first) {
  constexpr std::string_view kBefore = "data:image/png;base64,";
  std::ifstream in(text);
  int count = 0;
  for (std::string line; std::getline(in, line);) {
    const std::size_t at = line.find(kBefore);
    if (at == std::string::npos) continue;
    std::ofstream(folder / fmt::format("{:06}.png", first + count), std::ios::binary)
        << decode_base64(std::string_view(line).substr(at + kBefore.size()));
    ++count;
  }
  return count;
}

int report(const PictureRequest& request, int pictures) {
  if (request.json) {
    JsonValue value{JsonValue::Object{}};
    value.add("file", request.output);
    value.add("pictures", pictures);
    print_json(value);
  } else {
    say("wrote {}\n", request.output);
  }
  return kAnswered;
}

}  // namespace

int run_shot(const PictureRequest& request) {
  require(request.output.ends_with(".png"), "{}: must end in .png.", request.output);
  const ScratchFolder folder;
  const std::filesystem::path page = folder.path() / "page.html", picture = folder.path() / "picture.png";
  const double end = write_scratch_page(request.recording, page);
  const double time = request.time ? *request.time : end;
  require(time >= 0.0 && time <= end, "--time {} s: must lie in [0, {}] s, which is recorded.", time, end);
  open_in_browser(page, fmt::format("t={}&{}", time, fragment_of(request)), request.width, request.height,
                  "--screenshot=" + picture.string(), {});
  if (!std::filesystem::exists(picture)) throw std::runtime_error("Chromium made no picture.");
  write_text_file(request.output, read_text_file(picture, kMostBytes));
  return report(request, 1);
}

int run_video(const PictureRequest& request) {
  require(request.output.ends_with(".mp4"), "{}: must end in .mp4.", request.output);
  require(request.width % 2 == 0 && request.height % 2 == 0,
          "--width {}, --height {}: both must be even for a video.", request.width, request.height);
  const std::string ffmpeg = find_program({"ffmpeg"});
  if (ffmpeg.empty())
    throw std::runtime_error("ffmpeg joins the pictures to a video, and is not installed (Debian: ffmpeg).");
  const ScratchFolder folder;
  const std::filesystem::path page = folder.path() / "page.html", text = folder.path() / "pictures.txt";
  const double end = write_scratch_page(request.recording, page);

  // so many at a time that the browser's answer stays small
  constexpr int kAtATime = 60;
  const int total = static_cast<int>(std::floor(end * request.rate / request.speed + 1e-9)) + 1;
  ProgressLine progress("picture");
  for (int first = 0; first < total && !was_interrupted(); first += kAtATime) {
    const int last = std::min(first + kAtATime, total) - 1;
    open_in_browser(page,
                    fmt::format("video={},{},{},{},{}&{}", request.rate / request.speed, first, last,
                                request.width, request.height, fragment_of(request)),
                    request.width, request.height, "--dump-dom", text);
    const int made = save_pictures(text, folder.path(), first);
    if (made != last - first + 1)
      throw std::runtime_error(fmt::format("Chromium made {} of {} pictures.", made, last - first + 1));
    progress.show(static_cast<std::size_t>(last + 1), static_cast<std::size_t>(total));
  }
  if (was_interrupted()) throw std::runtime_error("interrupted; nothing was written.");
  const std::filesystem::path video = folder.path() / "video.mp4";
  const int status =
      run_program({ffmpeg, "-y", "-loglevel", "error", "-framerate", fmt::format("{}", request.rate), "-i",
                   (folder.path() / "%06d.png").string(), "-c:v", "libx264", "-pix_fmt", "yuv420p", "-crf",
                   "20", "-movflags", "+faststart", video.string()},
                  {}, 600);
  if (status != 0) throw std::runtime_error(fmt::format("{} ended with status {}.", ffmpeg, status));
  write_text_file(request.output, read_text_file(video, kMostBytes));
  return report(request, total);
}

}  // namespace rigor
