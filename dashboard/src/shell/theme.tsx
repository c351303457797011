// Light or dark: as chosen in this browser, else as the system says. The colours are in theme.css.

import { createContext, type ReactNode, use, useEffect, useMemo, useState } from 'react'
import { keep, kept } from './kept.ts'

export const themes = ['system', 'light', 'dark'] as const
export type Theme = (typeof themes)[number]

interface Theming {
  readonly theme: Theme
  readonly choose: (theme: Theme) => void
}

const ThemeContext = createContext<Theming>({ theme: 'system', choose: () => {} })

export function useTheme(): Theming {
  return use(ThemeContext)
}

export function ThemeProvider({ children }: { readonly children: ReactNode }) {
  const [theme, setTheme] = useState<Theme>(() => themes.find(each => each === kept('theme')) ?? 'system')
  useEffect(() => {
    keep('theme', theme === 'system' ? null : theme)
    if (theme === 'system') delete document.documentElement.dataset.theme
    else document.documentElement.dataset.theme = theme
  }, [theme])
  const theming = useMemo(() => ({ theme, choose: setTheme }), [theme])
  return <ThemeContext value={theming}>{children}</ThemeContext>
}
