// `rigor shot` and `rigor video` as a person calls them: node picture_test.mjs RIGOR. Status 77: the page, Chromium or ffmpeg is
// missing here, and what could be tested without it was.
import { execFileSync, spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { lookAt } from "./png.mjs";

const [rigor] = process.argv.slice(2);
const folder = mkdtempSync(join(tmpdir(), "rigor-picture-"));
let failures = 0;
function expect(condition, what) {
  if (condition) return;
  failures++;
  console.error(`FAILED: ${what}`);
}
const call = (words, environment = {}) => spawnSync(rigor, words, { cwd: folder, encoding: "utf8", env: { ...process.env, ...environment } });
const has = (program) => (process.env.PATH ?? "").split(":").some((path) => existsSync(join(path, program)));
const skip = (why) => {
  console.log(failures === 0 ? `skipped: ${why}` : `picture: ${failures} failures`);
  rmSync(folder, { recursive: true, force: true });
  process.exit(failures === 0 ? 77 : 1);
};

// the cube stands at x = 0 and slides along y
expect(call(["run", "peiret-box", "--set", "run.until=0.2", "-o", "a.rec"]).status === 0, "the run is recorded");

// what is wrong is said in one sentence, and nothing is written
for (const [words, status, sentence] of [
  [["shot", "a.rec", "a.jpg"], 2, "a.jpg: must end in .png."],
  [["video", "a.rec", "a.gif"], 2, "a.gif: must end in .mp4."],
  [["video", "a.rec", "a.mp4", "--width", "321", "--height", "200"], 2, "--width 321, --height 200: both must be even for a video."],
]) {
  const result = call(words);
  expect(result.status === status && result.stderr.includes(sentence), `${words.join(" ")}: ${result.status} ${result.stderr}`);
}
const nothing = call(["shot", "a.rec", "a.png"], { PATH: "/nowhere" });
if (nothing.stderr.includes("built without the replay page")) skip(nothing.stderr.trim());
expect(nothing.status === 1 && nothing.stderr === "rigor: Chromium draws the picture, and is not installed (Debian: chromium).\n", `no Chromium: ${nothing.status} ${nothing.stderr}`);
expect(call(["video", "a.rec", "a.mp4"], { PATH: "/nowhere" }).stderr === "rigor: ffmpeg joins the pictures to a video, and is not installed (Debian: ffmpeg).\n", "no ffmpeg");
const late = call(["shot", "a.rec", "a.png", "--time", "7"]);
expect(late.status === 2 && late.stderr.includes("--time 7 s: must lie in [0, 0.2] s, which is recorded."), `a time that was not recorded: ${late.stderr}`);
expect(!existsSync(join(folder, "a.png")) && !existsSync(join(folder, "a.mp4")), "nothing is written where something is wrong");
if (!["chromium", "chromium-browser", "google-chrome"].some(has)) skip("there is no chromium here");

// a picture has the size that was asked for, shows something, and shows another moment otherwise
for (const [file, time] of [["first.png", "0"], ["later.png", "0.15"]]) {
  const result = call(["shot", "a.rec", file, "--time", time, "--width", "480", "--height", "300"]);
  expect(result.status === 0 && result.stdout === `wrote ${file}\n`, `${file}: ${result.status} ${result.stdout}${result.stderr}`);
  const picture = lookAt(readFileSync(join(folder, file)));
  expect(picture.width === 480 && picture.height === 300, `${file} is ${picture.width} x ${picture.height}`);
  expect(picture.colors > 8, `${file} has ${picture.colors} colours`);
  console.log(`${file}: ${picture.width} x ${picture.height}, ${picture.colors} colours`);
}
expect(!readFileSync(join(folder, "first.png")).equals(readFileSync(join(folder, "later.png"))), "two moments are two pictures");
if (!has("ffmpeg") || !has("ffprobe")) skip("there is no ffmpeg here");

// a video: 0.2 s at a quarter of the speed and 25 pictures a second are 20 intervals
const video = call(["video", "a.rec", "a.mp4", "--speed", "0.25", "--rate", "25", "--width", "320", "--height", "200", "--json"]);
expect(video.status === 0 && JSON.parse(video.stdout || "{}").pictures === 21, `video: ${video.status} ${video.stdout}${video.stderr}`);
const stream = JSON.parse(execFileSync("ffprobe", ["-v", "error", "-count_frames", "-show_entries", "stream=width,height,nb_read_frames,r_frame_rate,codec_name", "-of", "json", join(folder, "a.mp4")])).streams[0];
expect(stream.width === 320 && stream.height === 200 && stream.nb_read_frames === "21" && stream.r_frame_rate === "25/1" && stream.codec_name === "h264", `the video is ${JSON.stringify(stream)}`);
for (const [file, number] of [["start.png", 0], ["end.png", 20]]) {
  execFileSync("ffmpeg", ["-y", "-loglevel", "error", "-i", join(folder, "a.mp4"), "-vf", `select=eq(n\\,${number})`, "-frames:v", "1", join(folder, file)]);
  expect(lookAt(readFileSync(join(folder, file))).colors > 8, `${file} of the video shows something`);
}
expect(!readFileSync(join(folder, "start.png")).equals(readFileSync(join(folder, "end.png"))), "the video moves");
rmSync(folder, { recursive: true, force: true });
console.log(failures === 0 ? "picture: ok" : `picture: ${failures} failures`);
process.exit(failures === 0 ? 0 : 1);
