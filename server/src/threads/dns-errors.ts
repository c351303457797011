/** An answer that is longer than any honest one, and is not handed over. */
export const tooLongCode = 'ETOOLONG'
