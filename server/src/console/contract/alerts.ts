// GET and PATCH /console/alerts: what oneself is mailed about; an owner also sees who else is.

export type AlertKind = 'hook_dropped' | 'endpoint_paused' | 'in_doubt'

export interface Alerts {
  readonly mine: readonly AlertKind[]
  /** Null: only an owner sees it. */
  readonly team:
    | readonly {
        readonly email: string
        readonly role: string
        readonly alerts: readonly AlertKind[]
      }[]
    | null
  /** False: this installation sends no mail. */
  readonly mails_go_out: boolean
}

/** PATCH: what is left out stays. */
export type AlertsChange = { readonly [kind in AlertKind]?: boolean }
