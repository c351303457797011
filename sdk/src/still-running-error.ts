// Thrown by `once`, and answered with 503 by the handlers.

/** The same hook is being handled by another request. */
export class StillRunningError extends Error {
  override readonly name = 'StillRunningError'
  readonly code = 'still_running'
  readonly status = 503

  constructor() {
    super('The same hook is being handled right now. Send it again later.')
  }
}
