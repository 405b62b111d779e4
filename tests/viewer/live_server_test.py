"""`rigor view` under friends and foes: live_server_test.py RIGOR. Status 77: the program was built without the page.

Raw sockets, so that what no library would send can be sent. Loads are shortened; the figures are printed.
"""
import base64
import json
import os
import resource
import signal
import socket
import struct
import subprocess
import sys
import threading
import time

rigor = sys.argv[1]
failures = []


def expect(condition, what):
    if not condition:
        failures.append(what)
        print("FAILED:", what)


def start(*words, preexec=None):
    """The program with its address."""
    process = subprocess.Popen([rigor, "view", *words, "--json"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, preexec_fn=preexec)
    lines = ""
    while True:
        line = process.stdout.readline()
        lines += line
        if not line:
            message = process.stderr.read()
            if "built without the replay page" in message:
                print("skipped:", message.strip())
                sys.exit(77)
            sys.exit(f"the program ended: {message}")
        try:
            return process, int(json.loads(lines)["url"].rsplit(":", 1)[1].strip("/"))
        except ValueError:
            continue


def connect(port, address="127.0.0.1"):
    return socket.create_connection((address, port), timeout=15)


def ask(port, target="/", host=None, extra="", method="GET", address="127.0.0.1"):
    """Status line and body of a request."""
    with connect(port, address) as s:
        s.sendall(f"{method} {target} HTTP/1.1\r\nHost: {host or f'127.0.0.1:{port}'}\r\n{extra}\r\n".encode())
        data = b""
        while chunk := s.recv(65536):
            data += chunk
    head, _, body = data.partition(b"\r\n\r\n")
    return int(head.split(b" ")[1]) if head else 0, head.decode("latin1"), body


def read_exactly(s, count):
    data = b""
    while len(data) < count:
        chunk = s.recv(count - len(data))
        if not chunk:
            raise ConnectionError("closed")
        data += chunk
    return data


def open_stream(port, origin=None):
    s = connect(port)
    key = base64.b64encode(os.urandom(16)).decode()
    extra = f"Origin: {origin}\r\n" if origin else ""
    s.sendall(f"GET /live HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
              f"Sec-WebSocket-Key: {key}\r\nSec-WebSocket-Version: 13\r\n{extra}\r\n".encode())
    head = b""
    while not head.endswith(b"\r\n\r\n"):
        head += read_exactly(s, 1)
    return s, int(head.split(b" ")[1])


def read_message(s):
    """Kind (1 text, 2 binary) and content; pieces are joined, pings passed over."""
    kind, content = 0, b""
    while True:
        first, second = read_exactly(s, 2)
        size = second & 127
        if size == 126:
            size = struct.unpack(">H", read_exactly(s, 2))[0]
        elif size == 127:
            size = struct.unpack(">Q", read_exactly(s, 8))[0]
        payload = read_exactly(s, size)
        if first & 8:
            continue
        kind = kind or first & 15
        content += payload
        if first & 128:
            return kind, content


def say(s, text, opcode=1, mask=True, announced=None):
    payload = text if isinstance(text, bytes) else text.encode()
    key = os.urandom(4) if mask else b""
    size = len(payload) if announced is None else announced
    head = bytes([0x80 | opcode])
    flag = 0x80 if mask else 0
    if size < 126:
        head += bytes([flag | size])
    elif size < 65536:
        head += bytes([flag | 126]) + struct.pack(">H", size)
    else:
        head += bytes([flag | 127]) + struct.pack(">Q", size)
    if mask:
        payload = bytes(b ^ key[i % 4] for i, b in enumerate(payload))
    s.sendall(head + key + payload)


def frame_times(message):
    """Times of the frames of a binary message."""
    size = struct.unpack("<I", message[:4])[0]
    arrays = json.loads(message[4:4 + size])
    offset = (4 + size + 7) // 8 * 8
    count = arrays[0]["shape"][0]
    assert arrays[0]["name"] == "time"
    return struct.unpack(f"<{count}d", message[offset:offset + 8 * count])


def is_closed(s, seconds):
    """Whether the other side hangs up within so many seconds."""
    s.settimeout(seconds)
    try:
        while s.recv(65536):
            pass
        return True
    except ConnectionError:
        return True
    except TimeoutError:
        return False


def memory(process):
    with open(f"/proc/{process.pid}/status") as f:
        return next(int(line.split()[1]) / 1024 for line in f if line.startswith("VmRSS"))


def check_doors(port):
    status, head, body = ask(port)
    expect(status == 200 and b"<canvas" in body, "the page is served")
    expect("Content-Security-Policy: default-src 'none'" in head, "the page may ask nobody else")
    expect(ask(port, host=f"localhost:{port}")[0] == 200, "localhost is us")
    for host in ["evil.example", f"evil.example:{port}", "127.0.0.1", f"127.0.0.1:{port}.evil.example", f"127.0.0.1:{port + 1}"]:
        expect(ask(port, host=host)[0] == 403, f"Host {host} is refused")
    for origin in ["http://evil.example", "null", f"https://127.0.0.1:{port}", "http://127.0.0.1"]:
        expect(ask(port, extra=f"Origin: {origin}\r\n")[0] == 403, f"Origin {origin} is refused")
    expect(ask(port, extra="Host: evil.example\r\n")[0] == 400, "two Hosts are refused")
    own = f"Origin: http://127.0.0.1:{port}\r\n"
    expect(ask(port, extra=own + "Origin: http://evil.example\r\n")[0] == 400, "two Origins are refused")
    for target in ["/etc/passwd", "/../etc/passwd", "//", "/live", "/index.html", "/%2e%2e/"]:
        expect(ask(port, target)[0] == 404, f"{target} is not found")
    expect(ask(port, method="POST")[0] == 405, "nothing can be posted")
    with open("/proc/net/tcp") as f:
        listening = [line.split()[1] for line in f if line.split()[3] == "0A" and line.split()[1].endswith(f":{port:04X}")]
    expect(listening == [f"0100007F:{port:04X}"], f"it listens at 127.0.0.1 alone: {listening}")
    if os.path.exists("/proc/net/tcp6"):
        with open("/proc/net/tcp6") as f:
            six = [line.split()[1] for line in f if line.split()[3] == "0A" and line.split()[1].endswith(f":{port:04X}")]
        expect(all(one.startswith("00000000000000000000000001000000:") for one in six), f"and at ::1: {six}")
        if six:
            expect(ask(port, host=f"[::1]:{port}", address="::1")[0] == 200, "::1 is us too")
    _, status = open_stream(port, origin="http://evil.example")
    expect(status == 403, "a foreign page gets no stream")
    s, status = open_stream(port, origin=f"http://127.0.0.1:{port}")
    expect(status == 101, "our own page gets the stream")
    s.close()


def check_stream():
    """The stream tells the run, in order; without --control what a client says ends its connection."""
    process, port = start("peiret-box", "--fast")
    s, _ = open_stream(port)
    kind, greeting = read_message(s)
    expect(kind == 1 and json.loads(greeting)["scene"]["name"] == "Box on the ground", "the greeting tells the scene")
    expect(json.loads(greeting)["control"] is False, "nobody may control it")
    times = []
    while not times or times[-1] < 0.8 - 1e-9:
        kind, message = read_message(s)
        if kind == 2:
            times += frame_times(message)
    expect(times == sorted(times) and times[0] == 0.0, "the frames are in order")
    late, _ = open_stream(port)  # one who comes later gets everything
    read_message(late)
    expect(frame_times(read_message(late)[1])[0] == 0.0, "the history begins at the beginning")
    say(s, "reset")
    expect(is_closed(s, 5), "a client that commands without --control is cut off")
    process.send_signal(signal.SIGINT)
    expect(process.wait(5) == 0, "Ctrl-C ends it")


def check_control():
    process, port = start("peiret-box", "--fast", "--control")
    s, _ = open_stream(port)
    expect(json.loads(read_message(s)[1])["control"] is True, "the page may control it")
    last = 0.0
    while last < 0.8 - 1e-9:
        last = frame_times(read_message(s)[1])[-1]
    say(s, "reset")
    expect(json.loads(read_message(s)[1]) == {"reset": True}, "a reset is told")
    expect(frame_times(read_message(s)[1])[0] == 0.0, "and begins anew")
    say(s, "x" * 200)  # no command: ignored
    say(s, "step")
    expect(ask(port)[0] == 200, "it goes on")
    process.send_signal(signal.SIGINT)
    process.wait(5)


def check_load(process, port):
    """Slow readers, floods, half-open connections and nonsense: a good client is answered all the same."""
    before = memory(process)
    slow = []
    for i in range(60):
        if i % 2:
            s, _ = open_stream(port)
        else:
            s = connect(port)
            s.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
            s.sendall(f"GET / HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\n\r\n".encode())
        slow.append(s)
    half_open = [connect(port) for _ in range(40)]
    nonsense = []
    for send in [lambda s: say(s, "x", announced=64 << 20), lambda s: say(s, "x" * 5000), lambda s: say(s, "pause", mask=False),
                 lambda s: say(s, b"\xff\xfe\xff"), lambda s: s.sendall(b"\x00" * 100), lambda s: say(s, "x", opcode=7)]:
        s, _ = open_stream(port)
        send(s)
        nonsense.append(s)
    worst = 0.0
    end = time.monotonic() + 4
    connects = 0
    while time.monotonic() < end:
        for _ in range(50):
            connect(port).close()
            connects += 1
        begin = time.monotonic()
        status, _, body = ask(port)
        worst = max(worst, time.monotonic() - begin)
        expect(status == 200 and len(body) > 100000, "a good client is answered during the load")
    for s in nonsense:
        expect(is_closed(s, 5), "nonsense ends the connection")
    expect(is_closed(half_open[0], 12), "a half-open connection is cut after 10 s")
    expect(ask(port)[0] == 200, "a good client is answered after the load")
    grown = memory(process) - before
    expect(grown < 64, f"memory grew by {grown:.0f} MB")
    print(f"load: {connects} connections in 4 s, worst answer {1000 * worst:.0f} ms, memory +{grown:.1f} MB")
    for s in slow + half_open:
        s.close()


def cpu_seconds(process):
    with open(f"/proc/{process.pid}/stat") as f:
        fields = f.read().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def check_places():
    """Who connects and says nothing keeps nobody out, neither where all places are taken nor all descriptors."""
    for descriptors in (1024, 40):
        limit = lambda: resource.setrlimit(resource.RLIMIT_NOFILE, (descriptors, descriptors))  # noqa: E731
        process, port = start("peiret-box", "--set", "run.until=0.01", preexec=limit)
        idle = [connect(port) for _ in range(400)]
        begin, before = time.monotonic(), cpu_seconds(process)
        expect(ask(port)[0] == 200, f"a good client is answered while 400 say nothing, {descriptors} descriptors")
        expect(time.monotonic() - begin < 8, "and soon")
        time.sleep(1)
        used = (cpu_seconds(process) - before) / (time.monotonic() - begin)
        expect(used < 0.5, f"the server does not spin: {used:.2f} of a core")
        for s in idle:
            s.close()
        process.send_signal(signal.SIGINT)
        expect(process.wait(5) == 0, "Ctrl-C ends it")


class Follower(threading.Thread):
    """Reads a stream as a page does, and knows how far the run is."""

    def __init__(self, port):
        super().__init__(daemon=True)
        self.stream, _ = open_stream(port)
        self.time = 0.0
        self.start()

    def run(self):
        try:
            while True:
                kind, message = read_message(self.stream)
                if kind == 2:
                    self.time = frame_times(message)[-1]
        except OSError:
            pass


def flood(port, end):
    """What R15 asks for, until a moment: connections, half-open ones, slow readers, nonsense."""
    held = []
    while time.monotonic() < end:
        for _ in range(20):
            connect(port).close()
        s, _ = open_stream(port)  # never read again
        held.append(s)
        s, _ = open_stream(port)
        say(s, b"\xff\xfe\xff")
        held.append(connect(port))
        ask(port)
        if len(held) > 120:
            for s in held:
                s.close()
            held = []
    for s in held:
        s.close()


def print_step_rate():
    """How much slower the run is under load: in steps per second of its thread's own CPU time, which tells what the
    server costs it, and per second of the wall, which on few cores tells also what the flood itself takes."""
    process, port = start("anitescu-cannonball", "--fast", "--set", "parameters.mu=0.8", "--set", "run.until=1e6", "--set", "run.dt=0.01")
    follower = Follower(port)

    def measure(seconds, is_loaded):
        def now():
            with open(f"/proc/{process.pid}/task/{process.pid}/schedstat") as f:
                return follower.time, int(f.read().split()[0]) / 1e9, time.monotonic()

        before = now()
        if is_loaded:
            flood(port, time.monotonic() + seconds)
        else:
            time.sleep(seconds)
        after = now()
        steps = (after[0] - before[0]) / 0.01
        return steps / (after[1] - before[1]), steps / (after[2] - before[2])

    try:
        time.sleep(0.5)
        rates = [(measure(1.5, False), measure(1.5, True)) for _ in range(3)]
    finally:
        process.send_signal(signal.SIGINT)
        process.wait(10)
    losses = [sorted(100 * (1 - loaded[i] / quiet[i]) for quiet, loaded in rates)[1] for i in (0, 1)]
    print(f"step rate: {rates[0][0][0]:.0f} steps a second of CPU time when quiet, {losses[0]:+.1f} % lost under load; by the wall {losses[1]:+.1f} % (medians of 3)")


server, server_port = start("crates", "--set", "parameters.rows=2")
try:
    check_doors(server_port)
    check_load(server, server_port)
    occupied = subprocess.run([rigor, "view", "crates", "--port", str(server_port)], capture_output=True, text=True)
    expect(occupied.returncode == 1 and "cannot be listened at (Address already in use)" in occupied.stderr, f"a taken port is told: {occupied.stderr}")
finally:
    server.send_signal(signal.SIGINT)
    server.wait(10)
check_places()
check_stream()
check_control()
print_step_rate()
print("live server:", "ok" if not failures else f"{len(failures)} failures")
sys.exit(1 if failures else 0)
