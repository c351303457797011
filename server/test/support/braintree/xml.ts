// XML as Braintree writes it: names with dashes, and a type where the text alone would not say it.

export type Node = string | number | boolean | null | Date | readonly Node[] | Tree
export interface Tree {
  readonly [name: string]: Node
}

export function xmlOf(name: string, node: Node): string {
  return `<?xml version="1.0" encoding="UTF-8"?>\n${element(name, node)}\n`
}

function element(name: string, node: Node): string {
  const tag = name.replace(/[A-Z]/g, letter => `-${letter.toLowerCase()}`)
  const wrap = (inner: string, attributes = '') => `<${tag}${attributes}>${inner}</${tag}>`
  if (node === null) return `<${tag} nil="true"/>`
  if (typeof node === 'string') return wrap(escaped(node))
  if (typeof node === 'number') return wrap(String(node), ' type="integer"')
  if (typeof node === 'boolean') return wrap(String(node), ' type="boolean"')
  if (node instanceof Date) return wrap(node.toISOString().replace(/\.\d+/, ''), ' type="datetime"')
  if (isList(node)) return wrap(node.map(item => element(itemName(name), item)).join(''), ' type="array"')
  return wrap(membersOf(node as Tree))
}

/** A page of results: its members, and the same element for each result. */
export function collectionXml(name: string, about: Tree, itemsName: string, items: readonly Tree[]): string {
  const inner = membersOf(about) + items.map(item => element(itemsName, item)).join('')
  return `<?xml version="1.0" encoding="UTF-8"?>\n<${name} type="collection">${inner}</${name}>\n`
}

function membersOf(tree: Tree): string {
  return Object.entries(tree)
    .map(([name, node]) => element(name, node))
    .join('')
}

function isList(node: Node): node is readonly Node[] {
  return Array.isArray(node)
}

function itemName(list: string): string {
  const names: { readonly [list: string]: string } = {
    creditCards: 'creditCard',
    errors: 'error',
    statusHistory: 'statusEvent',
  }
  return names[list] ?? 'item'
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
}
