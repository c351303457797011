// Which encodings a client takes.

/** `gzip, br;q=0` wants no br. */
export function acceptsEncoding(accepted: string, encoding: string): boolean {
  return accepted.split(',').some(each => {
    const [name = '', ...settings] = each.split(';').map(part => part.trim().toLowerCase())
    return name === encoding && !settings.some(setting => /^q=0(\.0*)?$/.test(setting))
  })
}
