// GET /console/sandbox: the demo merchant's clock, hooks and mails. Everybody else gets a 404.

export interface Sandbox {
  /** The service's time. */
  readonly now: string
  readonly clock_offset_s: number
  /** When the next thing falls due: an attempt to deliver, a mail, an ask at a gateway. Null: nothing within a week. */
  readonly next_due_at: string | null
  /** The inbox's own page; null: no process has served it yet. */
  readonly inbox_url: string | null
  readonly hooks: readonly SandboxHook[]
  readonly mails: readonly SandboxMail[]
}

export interface SandboxHook {
  readonly id: string
  readonly at: string
  /** The last part of the address it was posted to. */
  readonly path: string
  readonly verified: boolean
  readonly details: string
  readonly signature: string
}

export interface SandboxMail {
  readonly id: string
  readonly at: string
  readonly to: string
  readonly subject: string
  /** Null: its link lets whoever has it in, and only an owner sees it. */
  readonly text: string | null
  /** As its reader would see it; null: it is shown as text alone, or not. */
  readonly url: string | null
}
