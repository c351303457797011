// Amounts as people type them, as the decimal text that the service takes.

/**
 * `49,90` is `49.90` where the language writes a comma, and `1.234,50` is `1234.50`. What is typed with a point stays as it is:
 * so the service writes them itself. What is no amount stays as well, and is refused as it was typed.
 */
export function typedAmount(typed: string, locale: string): string {
  const text = typed.trim()
  if (decimalSignIn(locale) !== ',' || !/^(\d+|\d{1,3}(\.\d{3})+),\d+$/.test(text)) return text
  return text.replaceAll('.', '').replace(',', '.')
}

/** An amount of that many decimals, to show how one is written: `12.50`, `12,500`. */
export function exampleAmount(currency: string, locale: string): string {
  const decimals = decimalsOf(currency)
  const fraction = { minimumFractionDigits: decimals, maximumFractionDigits: decimals }
  return new Intl.NumberFormat(locale, { ...fraction, useGrouping: false }).format(decimals === 0 ? 1250 : 12.5)
}

function decimalsOf(currency: string): number {
  try {
    return new Intl.NumberFormat('en', { style: 'currency', currency }).resolvedOptions().maximumFractionDigits ?? 2
  } catch {
    // While it is being typed it may be no currency yet.
    return 2
  }
}

function decimalSignIn(locale: string): string | undefined {
  return new Intl.NumberFormat(locale).formatToParts(1.5).find(({ type }) => type === 'decimal')?.value
}
