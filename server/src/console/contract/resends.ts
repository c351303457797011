// Sending a range of deliveries again: how many it would be, and how many are still to go.

/** GET /console/resends/count?endpoint=&created_after=&created_before=&state= answers `{ resends }` */
export interface ResendCount {
  readonly count: number
  /** There are more: nobody waits for the exact number. */
  readonly is_more: boolean
}

/** GET /console/resends/progress?endpoint=&created_after=&created_before= answers `{ resends }` */
export interface ResendProgress {
  /** Asked for, and not made yet. */
  readonly left: number
  readonly is_more: boolean
  /** The endpoint takes nothing now: what is left waits. */
  readonly is_paused: boolean
}
