import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';

const page = `<!doctype html><html lang="en"><title>Checkout</title>
<h1>Checkout</h1><button id="plain">Add a note</button><p id="said"></p><order-box></order-box>
<script>
  document.getElementById('plain').onclick = () => { document.getElementById('said').textContent = 'noted'; };
  customElements.define('order-box', class extends HTMLElement {
    constructor() {
      super();
      this.attachShadow({ mode: 'closed' }).innerHTML = '<button>Confirm order</button>';
    }
  });
</script>`;

/** A shop on loopback with a button in a closed root, for an agent to work on. */
export async function shop(): Promise<{ url: string; close: () => Promise<void> }> {
  const server: Server = createServer((_, response) => response.setHeader('Content-Type', 'text/html').end(page));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}/`,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
