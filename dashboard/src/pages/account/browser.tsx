import { useWords } from '../../words/language.tsx'
import { browserName } from './browser-name.ts'
import { words } from './words.ts'

export function useBrowserName(): (userAgent: string) => string {
  const say = useWords(words)
  return userAgent => {
    const named = browserName(userAgent)
    if (named === null) return userAgent.split(' ', 1)[0] || say.unknownBrowser
    return named.system === null ? named.browser : say.on(named.browser, named.system)
  }
}
