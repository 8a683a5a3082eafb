// The REST API. The token is in this module's variable and nowhere else.
let token = null;

export function use(given) {
  token = given || null;
}

export class Problem extends Error {
  constructor(status, title, detail) {
    super(detail && detail !== title ? `${title} ${detail}` : title);
    this.status = status;
  }
}

async function refused(answer) {
  let body = {};
  try {
    body = await answer.json();
  } catch {
    // not a problem detail: the status says it
  }
  const fields = (body.errors || []).map((one) => `${one.location}: ${one.detail}`).join("; ");
  return new Problem(answer.status, body.title || `The server answered ${answer.status}.`, fields || body.detail);
}

const RETRIES = 3;

// All requests of the page are reads: one that the server cannot answer now is sent again, after the time that it names.
export async function request(path, options = {}) {
  for (let left = RETRIES; ; left--) {
    const answer = await sent(path, options);
    if (answer.ok) return answer;
    if (left === 0 || ![429, 503].includes(answer.status)) throw await refused(answer);
    const named = Number(answer.headers.get("Retry-After"));
    await pause(Math.min(named || 1, 10) * 1000, options.signal);
  }
}

function pause(milliseconds, signal) {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(resolve, milliseconds);
    signal?.addEventListener("abort", () => {
      clearTimeout(timer);
      reject(signal.reason);
    }, { once: true });
  });
}

async function sent(path, { body, signal, headers }) {
  const given = { Accept: "application/json", ...headers };
  if (token) given.Authorization = `Bearer ${token}`;
  if (body) given["Content-Type"] = "application/json";
  try {
    return await fetch(path, {
      method: body ? "POST" : "GET",
      headers: given,
      body: body && JSON.stringify(body),
      signal,
      credentials: "omit",
      cache: "no-store",
    });
  } catch (error) {
    if (error.name === "AbortError") throw error;
    throw new Problem(0, "The server cannot be reached.");
  }
}

export async function get(path, options) {
  return (await request(path, options)).json();
}

export function query(values) {
  const given = new URLSearchParams();
  for (const [name, value] of Object.entries(values)) {
    for (const one of [value].flat()) if (one !== null && one !== undefined && one !== "") given.append(name, one);
  }
  return given.size ? `?${given}` : "";
}

// All pages of a list, or the first so many entries.
export async function all(path, values = {}, { most = 10000, signal } = {}) {
  const found = [];
  let cursor = null;
  do {
    const answer = await request(path + query({ ...values, limit: 500, cursor }), { signal });
    found.push(...(await answer.json()));
    cursor = answer.headers.get("Next-Cursor");
  } while (cursor && found.length < most);
  return found;
}
