#!/usr/bin/env python3
"""The campaign itself: how runs are cut, that both ways of calling a program see the same, and that the judges are not
blind. Called with the fork server, or without: then processes are started only."""
import json
import pathlib
import signal
import sys
import tempfile
import unittest

import campaign
import judge

SERVER = sys.argv.pop(1) if len(sys.argv) > 1 else ""
PYTHON = sys.executable


class LimitRun(unittest.TestCase):
    def limit(self, run, number):
        return campaign.limit_run(json.dumps({"run": run}).encode(), number)

    def test_every_second_run_is_long_and_of_little_work(self):
        self.assertEqual(self.limit({"dt": 0.01, "until": 9.0}, 4), ["--set", "run.until=1.0", "--set", "run.work=10000000.0"])
        self.assertEqual(self.limit({"dt": 0.01, "until": 9.0}, 5), ["--set", "run.until=0.02"])

    def test_what_ends_earlier_is_not_made_longer(self):
        self.assertEqual(self.limit({"dt": 0.01, "until": 0.02}, 5), [])

    def test_defaults_are_those_of_a_scene(self):
        self.assertEqual(campaign.limit_run(b"{}", 1), ["--set", "run.until=0.002"])

    def test_work_is_set_only_where_it_has_an_effect_and_the_scene_does_not(self):
        self.assertEqual(self.limit({"work": 5.0, "until": 0.0}, 2), [])
        self.assertEqual(self.limit({"method": "runge-kutta-4", "until": 0.0}, 2), [])

    def test_values_of_another_type_are_left_to_the_program(self):
        self.assertEqual(self.limit({"dt": "x"}, 2), [])


class Calls(unittest.TestCase):
    """A program that does what its words say: this Python."""

    def setUp(self):
        self.limits = campaign.CPU_SECONDS, campaign.WALL_SECONDS
        campaign.CPU_SECONDS, campaign.WALL_SECONDS = 1, 5
        self.folder = tempfile.TemporaryDirectory()
        self.ways = [campaign.Starts(PYTHON)] + ([campaign.Forks(PYTHON, SERVER)] if SERVER else [])

    def tearDown(self):
        campaign.CPU_SECONDS, campaign.WALL_SECONDS = self.limits
        for way in self.ways[1:]:
            way.close()
        self.folder.cleanup()

    def run_it(self, code):
        """One Run for each way."""
        return [campaign.Run(way, ["-c", code], pathlib.Path(self.folder.name)) for way in self.ways]

    def expect(self, code, status, complaint):
        for run in self.run_it(code):
            run.words = ["run"]
            self.assertEqual((run.status, run.complaint()), (status, complaint))

    def test_output_complaints_status_and_folder_are_told(self):
        for run in self.run_it("import os, sys; print(os.getcwd()); sys.stderr.write('no'); sys.exit(2)"):
            self.assertEqual((run.status, run.err), (2, "no"))
            self.assertEqual(run.out.decode().strip(), str(pathlib.Path(self.folder.name).resolve()))
            self.assertEqual(run.complaint(), "")

    def test_a_long_answer_is_whole(self):
        for run in self.run_it("print('x' * 3000000)"):
            self.assertEqual(run.out, b"x" * 3000000 + b"\n")

    def test_nothing_is_read_from_standard_input(self):
        self.expect("import sys; sys.exit(len(sys.stdin.read()) + 1)", 1, "run-silent")

    def test_signals_are_seen(self):
        self.expect("import os; os.kill(os.getpid(), 11)", -signal.SIGSEGV, "run-signal-11")
        self.expect("import os; os.abort()", -signal.SIGABRT, "run-signal-6")

    def test_computing_for_ever_ends(self):
        self.expect("while True: pass", -signal.SIGXCPU, "run-hang")

    def test_waiting_for_ever_ends(self):
        campaign.WALL_SECONDS = 1
        for way in self.ways[1:]:  # a server takes its limits when it starts
            way.close()
        self.ways[1:] = [campaign.Forks(PYTHON, SERVER)] if SERVER else []
        self.expect("import time; time.sleep(60)", -signal.SIGXCPU, "run-hang")

    def test_memory_is_limited(self):
        self.expect("try:\n  x = bytearray(2 << 30)\nexcept MemoryError:\n  import sys; sys.exit('out of memory')", 1, "run-memory")

    def test_a_status_that_is_none_of_ours_is_told(self):
        self.expect("print(1); raise SystemExit(7)", 7, "run-status-7")

    def test_one_call_does_not_see_another(self):
        self.expect("import os, sys; print(1); os.chdir('/'); os.environ['X'] = '1'; sys.exit(0)", 0, "")
        self.expect("import os, sys; print(1); sys.exit(1 if 'X' in os.environ or os.getcwd() == '/' else 0)", 0, "")


class Judges(unittest.TestCase):
    def answer(self, **changes):
        certificate = {"unsolved_steps": 0, "rounding_steps": 0, "worst_residual": 1e-12, "worst_penetration": 0.0}
        energy = {"kinetic": 1.0, "kinetic_change": 0.0, "potential": 5.0, "potential_change": 0.0}
        for part in (certificate, energy):
            part.update({key: value for key, value in changes.items() if key in part})
        return {"bodies": changes.get("bodies", []), "joints": [], "certificate": certificate, "energy": energy}

    def judge(self, scene={}, **changes):  # noqa: B006, scenes are not changed
        return judge.judge_run(scene, self.answer(**changes))

    def test_a_run_without_fault_has_no_complaint(self):
        self.assertEqual(self.judge(), "")

    def test_numbers_that_are_none_are_found(self):
        self.assertEqual(self.judge(bodies=[{"position": [0, None, 0]}]), "run-null-bodies")
        self.assertEqual(self.judge(worst_residual=None), "run-null-certificate-worst_residual")

    def test_a_residual_above_the_tolerance_is_not_solved(self):
        self.assertEqual(self.judge(worst_residual=1.1e-10), "run-residual-above-tolerance")
        self.assertEqual(self.judge({"run": {"tolerance": 1e-9}}, worst_residual=1.1e-10), "")

    def test_energy_from_nothing_is_found(self):
        self.assertEqual(self.judge(kinetic_change=0.5, potential_change=0.2), "run-energy-made")
        self.assertEqual(self.judge(kinetic_change=0.5, potential_change=-0.5), "")
        self.assertEqual(self.judge({"motors": [{}]}, kinetic_change=0.5), "")

    def solve(self, problem, z, residual=0.0):
        return judge.judge_solution("a.json", json.dumps(problem), {"z": z, "residual": residual, "status": "solved"})

    def test_wrong_solutions_are_found(self):
        lcp = {"kind": "lcp", "M": [[2, 1], [1, 2]], "q": [-3, -3]}
        self.assertEqual(self.solve(lcp, [1, 1]), "")
        self.assertEqual(self.solve(lcp, [1, 1.00001]), "solve-wrong")
        self.assertEqual(self.solve(lcp, [1, 1], 1e-3), "solve-residual-above-tolerance")
        self.assertEqual(self.solve(lcp, [1]), "solve-length")
        self.assertEqual(self.solve(lcp, [1, None]), "solve-null")
        mixed = {"kind": "mlcp", "free": 1, "K": [[1, 0], [0, 1]], "q": [1, 1]}
        self.assertEqual(self.solve(mixed, [-1, 0]), "")
        self.assertEqual(self.solve(mixed, [0, 0]), "solve-wrong")
        boxed = {"kind": "boxed-lcp", "M": [[1]], "q": [-3], "lo": [0], "hi": [2]}
        self.assertEqual(self.solve(boxed, [2]), "")
        self.assertEqual(self.solve(boxed, [1]), "solve-wrong")


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
