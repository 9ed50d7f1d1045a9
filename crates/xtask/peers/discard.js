// Stands for the service behind a queue: confirms each call and keeps nothing.
const metrics = { backlogCount: 0, backlogBytes: 0, oldestMessageTimestamp: 0 };
const confirmed = JSON.stringify({ metadata: { metrics } });

export default {
  async fetch(request) {
    await request.arrayBuffer();
    return new Response(confirmed, { headers: { "content-type": "application/json" } });
  },
};
