// The peer of `cargo xtask bench edge`: the least a Worker can do with a body.
// It reads all of it, as ours must, and answers a constant.
export default {
  async fetch(request) {
    await request.arrayBuffer();
    return new Response("ok");
  },
};
