// What the pages' forms carry along, read from their text: for whoever fills them in without a browser.

export interface Form {
  readonly [name: string]: string
}

export function hiddenIn({ text }: { readonly text: string }): Form {
  const fields = text.matchAll(/<input type="hidden" name="([^"]+)" value="([^"]*)"/g)
  return Object.fromEntries([...fields].map(([, name = '', value = '']) => [name, value]))
}
