/** The address bar as state: which page, and what it shows. Reload, back and a shared link lead to the same view. */
import { type MouseEvent, useSyncExternalStore } from 'react'

const changed = 'pugmark:navigate'

/** Path and query of the page that is shown. */
export interface Place {
  readonly path: string
  readonly query: URLSearchParams
}

let place: Place = read()

function read(): Place {
  return { path: window.location.pathname, query: new URLSearchParams(window.location.search) }
}

function subscribe(listener: () => void): () => void {
  const update = () => {
    if (hrefOf(place) !== window.location.pathname + window.location.search) place = read()
    listener()
  }
  window.addEventListener('popstate', update)
  window.addEventListener(changed, update)
  return () => {
    window.removeEventListener('popstate', update)
    window.removeEventListener(changed, update)
  }
}

const hrefOf = ({ path, query }: Place): string => (query.size === 0 ? path : `${path}?${query}`)

export const usePlace = (): Place => useSyncExternalStore(subscribe, () => place)

/** `replace` for what nobody wants to step back through. */
export function navigate(href: string, { replace = false } = {}): void {
  if (href === window.location.pathname + window.location.search) return
  if (replace) window.history.replaceState(null, '', href)
  else window.history.pushState(null, '', href)
  const samePage = place.path === new URL(href, window.location.href).pathname
  window.dispatchEvent(new Event(changed))
  if (!samePage) window.scrollTo(0, 0)
}

/** Properties of a link that stays inside the page, and still opens in a new tab when asked to. */
export const linkTo = (href: string) => ({
  href,
  onClick(event: MouseEvent) {
    if (event.defaultPrevented || event.button !== 0 || event.metaKey || event.ctrlKey || event.shiftKey)
      return
    event.preventDefault()
    navigate(href)
  },
})

/** Goes to the same page with some of its query changed; null removes. */
export function changeQuery(
  changes: Readonly<Record<string, string | null>>,
  { replace = false } = {},
): void {
  const next = new URLSearchParams(place.query)
  for (const [name, value] of Object.entries(changes)) {
    if (value === null) next.delete(name)
    else next.set(name, value)
  }
  navigate(hrefOf({ path: place.path, query: next }), { replace })
}

export const sitePath = (siteId: string): string => `/sites/${siteId}`
export const healthPath = (siteId: string): string => `/sites/${siteId}/health`

/** Of the pages of a site. */
export const siteIdOf = (path: string): string | undefined =>
  /^\/sites\/([^/]+)(?:\/health)?$/.exec(path)?.[1]
