import { Link } from '@tanstack/react-router'
import { useMe } from '../ask/me.tsx'
import { classes } from '../parts/classes.ts'
import { Icon } from '../parts/icon.tsx'
import { useWords } from '../words/language.tsx'
import { BrandMark } from './brand.tsx'
import { type Group, groupsFor, type Place } from './navigation.ts'
import { servedUnder } from './served-under.ts'
import { words } from './words.ts'

export function Navigation({ hasBrand = false }: { readonly hasBrand?: boolean }) {
  const say = useWords(words)
  return (
    <nav aria-label={say.navigation} className="space-y-5 px-3 pb-6">
      {hasBrand && (
        <Link to="/" className="mb-2 flex items-center gap-2.5 px-2 pt-4 pb-1 text-base font-semibold tracking-tight">
          <BrandMark />
          Tillbell
        </Link>
      )}
      {groupsFor(useMe()).map(group => (
        <Places key={group.places[0]?.to} group={group} />
      ))}
      <DocsLink />
    </nav>
  )
}

function Places({ group }: { readonly group: Group }) {
  const say = useWords(words)
  return (
    <div>
      {group.name !== null && <p className="mb-1 px-2.5 text-xs font-medium text-soft">{say.groups[group.name]}</p>}
      <ul className="space-y-px">
        {group.places.map(place => (
          <li key={place.to}>
            <PlaceLink place={place} />
          </li>
        ))}
      </ul>
    </div>
  )
}

const entry =
  'flex min-h-8 items-center gap-2.5 rounded-md px-2.5 py-1 text-soft hover:bg-hover hover:text-ink pointer-coarse:min-h-11'

function PlaceLink({ place }: { readonly place: Place }) {
  const say = useWords(words)
  return (
    <Link
      to={place.to}
      activeOptions={{ exact: place.to === '/', includeSearch: false }}
      className={classes(
        entry,
        'aria-[current=page]:bg-accent-wash aria-[current=page]:font-medium aria-[current=page]:text-accent',
      )}
    >
      <Icon name={place.icon} />
      {say.pages[place.name]}
    </Link>
  )
}

/** They are no part of the application: the service shows them itself. In another tab, beside what one is doing. */
function DocsLink() {
  const say = useWords(words)
  return (
    <a href={`${servedUnder}/docs`} target="_blank" rel="noreferrer" className={entry}>
      <Icon name="external" />
      {say.docs}
    </a>
  )
}

/** Always there where there is room for it. */
export function Sidebar() {
  return (
    <div className="sticky top-0 hidden h-dvh w-60 shrink-0 overflow-y-auto border-r border-line bg-surface lg:block">
      <Navigation hasBrand />
    </div>
  )
}
