import { QueryClientProvider } from '@tanstack/react-query'
import { RouterProvider } from '@tanstack/react-router'
import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import { askUnder, onSignedOut } from './ask/ask.ts'
import { newQueryClient } from './ask/use-asked.ts'
import './app.css'
import { ToastProvider } from './parts/toast.tsx'
import { router } from './routes.tsx'
import { onTold } from './shell/other-tabs.ts'
import { servedUnder } from './shell/served-under.ts'
import { leadToSignIn, leaveSignedOut } from './shell/signed-out.ts'
import { ThemeProvider } from './shell/theme.tsx'
import { LanguageProvider } from './words/language.tsx'

askUnder(servedUnder)
const queries = newQueryClient()
onSignedOut(() => leadToSignIn(router, queries))
onTold(what => {
  if (what === 'signed out') void leaveSignedOut(router, queries)
  // Perhaps as another.
  else void queries.invalidateQueries({ queryKey: ['me'] })
})

const root = document.getElementById('root')
if (root === null) throw new Error('index.html has no root')
createRoot(root).render(
  <StrictMode>
    <QueryClientProvider client={queries}>
      <LanguageProvider>
        <ThemeProvider>
          <ToastProvider>
            <RouterProvider router={router} />
          </ToastProvider>
        </ThemeProvider>
      </LanguageProvider>
    </QueryClientProvider>
  </StrictMode>,
)
