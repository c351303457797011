// Members in the order in which they came, any of which can leave at once. Not a Set: when the table of one that lives long is full, V8 makes the
// next one in old space, and the full one keeps everything that was in it until the next full collection. Of what only passes through in
// milliseconds all would grow old so: measured with deliveries and sockets, a collector that takes a fifth of all time.

export interface Linked<Member> {
  /** Null also where it is in no chain: one that has left keeps no other alive. */
  before: Member | null
  after: Member | null
}

export class Chain<Member extends Linked<Member>> {
  #first: Member | null = null
  #last: Member | null = null

  get first(): Member | null {
    return this.#first
  }

  get last(): Member | null {
    return this.#last
  }

  add(member: Member): void {
    member.before = this.#last
    if (this.#last === null) this.#first = member
    else this.#last.after = member
    this.#last = member
  }

  /** To leave twice is to leave once. */
  remove(member: Member): void {
    const { before, after } = member
    if (before === null && this.#first !== member) return
    if (before === null) this.#first = after
    else before.after = after
    if (after === null) this.#last = before
    else after.before = before
    member.before = null
    member.after = null
  }

  /** The one that is at hand may leave meanwhile, no other. */
  *[Symbol.iterator](): Generator<Member, void> {
    for (let member = this.#first; member !== null; ) {
      const next = member.after
      yield member
      member = next
    }
  }
}
