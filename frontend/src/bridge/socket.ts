/** The little of a WebSocket that the transport needs. */
export interface Socket {
  send(data: string | ArrayBuffer): void;
  close(): void;
  onopen: (() => void) | null;
  onmessage: ((message: { data: unknown }) => void) | null;
  onclose: (() => void) | null;
}

/** A WebSocket to the page's own server. */
export function openSocket(path: string): Socket {
  const url = new URL(path, window.location.href);
  url.protocol = url.protocol === "https:" ? "wss:" : "ws:";
  const socket = new WebSocket(url);
  socket.binaryType = "arraybuffer";
  const adapted: Socket = {
    send: (data) => {
      if (socket.readyState === WebSocket.OPEN) socket.send(data);
    },
    close: () => socket.close(),
    onopen: null,
    onmessage: null,
    onclose: null,
  };
  socket.onopen = () => adapted.onopen?.();
  socket.onmessage = (message) => adapted.onmessage?.({ data: message.data });
  socket.onclose = () => adapted.onclose?.();
  return adapted;
}
