// Stands around the Worker under test, in the same isolate: its requests and hand-overs pass
// untouched. What it adds are a look at bucket and queue under /test, and bindings that can
// be told to fail.
import { wasmBytes } from "./watch.js";
import worker from "./index.js";

const plan = { sends: 0, refuseSends: [], refuseParts: false, aborts: 0, handed: 0 };

function refusing(env) {
  const events = {
    sendBatch(messages, options) {
      plan.sends += 1;
      if (plan.refuseSends.includes(plan.sends)) throw new Error("Queue sendBatch failed: refused by the test");
      return env.EVENTS.sendBatch(messages, options);
    },
  };
  const counted = (upload) => ({
    uploadId: upload.uploadId,
    uploadPart(number, value) {
      if (plan.refuseParts) return Promise.reject(new Error("uploadPart: refused by the test (10001)"));
      return upload.uploadPart(number, value);
    },
    complete: (parts) => upload.complete(parts),
    abort() {
      plan.aborts += 1;
      return upload.abort();
    },
  });
  const payloads = {
    get: (...all) => env.PAYLOADS.get(...all),
    delete: (key) => env.PAYLOADS.delete(key),
    createMultipartUpload: async (...all) => counted(await env.PAYLOADS.createMultipartUpload(...all)),
    resumeMultipartUpload: (...all) => counted(env.PAYLOADS.resumeMultipartUpload(...all)),
  };
  return { ...env, EVENTS: events, PAYLOADS: payloads };
}

async function look(request, url, env) {
  const key = url.searchParams.get("key");
  switch (`${request.method} ${url.pathname}`) {
    case "GET /test/objects":
      return Response.json((await env.PAYLOADS.list()).objects.map(({ key, size }) => ({ key, size })));
    case "POST /test/object":
      await env.PAYLOADS.put(key, await request.arrayBuffer());
      return Response.json({});
    case "DELETE /test/object":
      await env.PAYLOADS.delete(key);
      return Response.json({});
    case "POST /test/message": {
      const contentType = url.searchParams.get("type");
      const body = contentType === "bytes" ? new Uint8Array(await request.arrayBuffer()) : await request.text();
      await env.EVENTS.send(contentType === "json" ? JSON.parse(body) : body, { contentType });
      return Response.json({});
    }
    case "GET /test/memory":
      return Response.json(wasmBytes());
    case "POST /test/plan":
      Object.assign(plan, await request.json());
      return Response.json(plan);
    case "GET /test/plan":
      return Response.json(plan);
    default:
      return new Response("", { status: 404 });
  }
}

export default {
  async fetch(request, env, context) {
    const url = new URL(request.url);
    return url.pathname.startsWith("/test/") ? look(request, url, env) : worker.fetch(request, refusing(env), context);
  },
  queue(batch, env, context) {
    plan.handed += batch.messages.length;
    return worker.queue(batch, refusing(env), context);
  },
};
