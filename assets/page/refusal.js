// What goes wrong in a way that the caller can mend.

// Refusal is a failure that the caller gets with its code.
class Refusal extends Error {
  constructor(code, message, hint = "", evidence = {}) {
    super(message);
    this.code = code;
    this.hint = hint;
    this.evidence = evidence;
  }
}

// answer runs a function of the library and hands a refusal over as a value.
async function answer(run) {
  try {
    return await run();
  } catch (e) {
    if (e instanceof Refusal) return { error: { code: e.code, message: e.message, hint: e.hint, evidence: e.evidence } };
    throw e;
  }
}
