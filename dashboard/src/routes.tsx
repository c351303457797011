// Every address of the dashboard. Pages are loaded when they are opened.

import {
  createRootRoute,
  createRoute,
  createRouter,
  lazyRouteComponent,
  type RouteComponent,
} from '@tanstack/react-router'
import { orFileMissing } from './shell/new-files.ts'
import { NothingHere } from './shell/nothing-here.tsx'
import { PageBroke } from './shell/page-broke.tsx'
import { Pending } from './shell/pending.tsx'
import { Root } from './shell/root.tsx'
import { servedUnder } from './shell/served-under.ts'
import { Shell } from './shell/shell.tsx'

const root = createRootRoute({ component: Root })
const shell = createRoute({ getParentRoute: () => root, id: 'shell', component: Shell })

/** A page of the shell. */
function page<const Path extends string>(path: Path, component: RouteComponent) {
  return createRoute({ getParentRoute: () => shell, path, component })
}

/** A page for those who have not signed in. */
function outside<const Path extends string>(path: Path, component: RouteComponent) {
  return createRoute({ getParentRoute: () => root, path, component })
}

/** The router's own way with a file that does not come is to load everything again, also where nothing can be reached. */
const lazy: typeof lazyRouteComponent = (importer, name) =>
  lazyRouteComponent(() => importer().catch(orFileMissing), name)

const pages = shell.addChildren([
  page(
    '/',
    lazy(() => import('./pages/home/home.tsx'), 'HomePage'),
  ),
  page(
    '/transactions',
    lazy(() => import('./pages/transactions/transactions.tsx'), 'TransactionsPage'),
  ),
  page(
    '/transactions/$id',
    lazy(() => import('./pages/transactions/transaction.tsx'), 'TransactionPage'),
  ),
  page(
    '/customers',
    lazy(() => import('./pages/customers/customers.tsx'), 'CustomersPage'),
  ),
  page(
    '/customers/$id',
    lazy(() => import('./pages/customers/customer.tsx'), 'CustomerPage'),
  ),
  page(
    '/offers',
    lazy(() => import('./pages/offers/offers.tsx'), 'OffersPage'),
  ),
  page(
    '/offers/new',
    lazy(() => import('./pages/offers/new-offer.tsx'), 'NewOfferPage'),
  ),
  page(
    '/offers/$id',
    lazy(() => import('./pages/offers/offer.tsx'), 'OfferPage'),
  ),
  page(
    '/deliveries',
    lazy(() => import('./pages/deliveries/deliveries.tsx'), 'DeliveriesPage'),
  ),
  page(
    '/deliveries/$id',
    lazy(() => import('./pages/deliveries/delivery.tsx'), 'DeliveryPage'),
  ),
  page(
    '/api-settings',
    lazy(() => import('./pages/api-settings/endpoints.tsx'), 'EndpointsPage'),
  ),
  page(
    '/api-settings/keys',
    lazy(() => import('./pages/api-settings/keys.tsx'), 'KeysPage'),
  ),
  page(
    '/api-settings/private-key',
    lazy(() => import('./pages/api-settings/private-key.tsx'), 'PrivateKeyPage'),
  ),
  page(
    '/api-settings/snippets',
    lazy(() => import('./pages/api-settings/snippets.tsx'), 'SnippetsPage'),
  ),
  page(
    '/doubt',
    lazy(() => import('./pages/doubt/doubt.tsx'), 'DoubtPage'),
  ),
  page(
    '/doubt/$id',
    lazy(() => import('./pages/doubt/one-doubt.tsx'), 'OneDoubtPage'),
  ),
  page(
    '/letters',
    lazy(() => import('./pages/letters/letters.tsx'), 'LettersPage'),
  ),
  page(
    '/letters/$id',
    lazy(() => import('./pages/letters/letter.tsx'), 'LetterPage'),
  ),
  page(
    '/gateways',
    lazy(() => import('./pages/gateways/gateways.tsx'), 'GatewaysPage'),
  ),
  page(
    '/branding',
    lazy(() => import('./pages/branding/branding.tsx'), 'BrandingPage'),
  ),
  page(
    '/mail-settings',
    lazy(() => import('./pages/mail-settings/mail-settings.tsx'), 'MailSettingsPage'),
  ),
  page(
    '/team',
    lazy(() => import('./pages/team/team.tsx'), 'TeamPage'),
  ),
  page(
    '/alerts',
    lazy(() => import('./pages/alerts/alerts.tsx'), 'AlertsPage'),
  ),
  page(
    '/changes',
    lazy(() => import('./pages/changes/changes.tsx'), 'ChangesPage'),
  ),
  page(
    '/account',
    lazy(() => import('./pages/account/account.tsx'), 'AccountPage'),
  ),
  page(
    '/sandbox',
    lazy(() => import('./pages/sandbox/sandbox.tsx'), 'SandboxPage'),
  ),
  page('/$', NothingHere),
])

const tree = root.addChildren([
  pages,
  outside(
    '/sign-in',
    lazy(() => import('./pages/sign-in/sign-in.tsx'), 'SignInPage'),
  ),
  outside(
    '/forgot',
    lazy(() => import('./pages/sign-in/forgot.tsx'), 'ForgotPage'),
  ),
  outside(
    '/reset',
    lazy(() => import('./pages/sign-in/reset.tsx'), 'ResetPage'),
  ),
  outside(
    '/invitation',
    lazy(() => import('./pages/sign-in/invitation.tsx'), 'InvitationPage'),
  ),
])

export const router = createRouter({
  routeTree: tree,
  basepath: `${servedUnder}/dashboard`,
  defaultPreload: 'intent',
  scrollRestoration: true,
  defaultErrorComponent: PageBroke,
  defaultPendingComponent: Pending,
  // Plain text both ways: filters are strings, and an address stays readable.
  parseSearch: text => Object.fromEntries(new URLSearchParams(text)),
  stringifySearch: searchText,
})

function searchText(search: { readonly [name: string]: unknown }): string {
  const given = Object.entries(search).filter(([, value]) => value !== undefined && value !== null && value !== '')
  return given.length === 0 ? '' : `?${new URLSearchParams(given.map(([name, value]) => [name, String(value)]))}`
}

declare module '@tanstack/react-router' {
  interface Register {
    router: typeof router
  }
}
