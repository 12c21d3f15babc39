// The library's door: functions by name, each taking one object and answering one, refusals included.

const api = {};
for (const run of [
  frames, frameSelf, throughFrame, components, text, find, state, aim, aimPoint, ready, watchOnly, focus, typing, cleared,
  secret, peek, doubt, settle, drop, linger, arrived, wait,
]) {
  api[run.name] = async (input = {}) => {
    if (input.open_roots !== undefined) reach.openRoots = input.open_roots;
    if (input.offer === undefined) return answer(() => run(input));
    // What takes an offer runs without a pause in it, so that two callers never share one.
    sweep();
    offer(input.offer);
    const result = answer(() => run(input));
    const top = used();
    return { ...(await result), top };
  };
}
