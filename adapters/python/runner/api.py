"""Access to the server: on localhost, whatever its real address is."""

API_PORT = 8283


class LazyClient:
    """Letta's client for this server, created at its first use because the import is slow."""

    def __getattr__(self, name):
        if "_client" not in self.__dict__:
            from letta_client import Letta

            self.__dict__["_client"] = Letta(base_url=f"http://localhost:{API_PORT}")
        return getattr(self.__dict__["_client"], name)


def open_api(api):
    """Makes the server available on localhost:8283."""
    if "port" in api:
        redirect_connections(api["port"])
    else:
        relay_connections(api["socket"])


def relay_connections(path):
    """For a network of its own: listens there and passes each connection to the socket, which leads out of it."""
    # The bare modules: importing `socket` and `threading` would cost each tool more than its sandbox does.
    import _socket
    import _thread

    listener = _socket.socket(_socket.AF_INET, _socket.SOCK_STREAM)
    listener.setsockopt(_socket.SOL_SOCKET, _socket.SO_REUSEADDR, 1)
    listener.bind(("127.0.0.1", API_PORT))
    listener.listen(16)

    def pump(source, target):
        try:
            while piece := source.recv(65536):
                target.sendall(piece)
        except OSError:
            pass
        try:
            target.shutdown(_socket.SHUT_WR)
        except OSError:
            pass

    def accept():
        while True:
            descriptor, _address = listener._accept()
            near = _socket.socket(fileno=descriptor)
            far = _socket.socket(_socket.AF_UNIX, _socket.SOCK_STREAM)
            for side in (listener, near, far):
                side.settimeout(None)
            far.connect(path)
            _thread.start_new_thread(pump, (near, far))
            _thread.start_new_thread(pump, (far, near))

    _thread.start_new_thread(accept, ())


def redirect_connections(port):
    """For the machine's network, where another program may have the port: redirects connections to another port."""
    import socket

    def redirected(original):
        def connect(self, address):
            if self.family == socket.AF_INET and address[1] == API_PORT and address[0] in ("127.0.0.1", "localhost"):
                address = ("127.0.0.1", port)
            return original(self, address)

        return connect

    socket.socket.connect = redirected(socket.socket.connect)
    socket.socket.connect_ex = redirected(socket.socket.connect_ex)
