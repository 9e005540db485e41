/**
 * The browser snippet. It reports conversions, and landings that an assistant may have brought, to the server that it came from.
 *
 *   <script defer src="https://HOST/pugmark.js" data-site="ak_…"></script>
 *
 * PROTOCOL.md beside this file describes its messages. It is one function without dependencies, served minified. It sets no cookie,
 * runs no inline or generated code, and adds nothing to the page but `window.pugmark`.
 */
;(() => {
  const script = document.currentScript || document.querySelector('script[data-site]')
  const endpoint = new URL('collect', script.src).href
  const storageKey = 'pugmark'
  const touchesMax = 5
  const firstPauseMs = 5000

  const before = window.pugmark
  // A second copy of the script would count everything twice.
  if (before?.loaded) return

  /** Messages that the server has not confirmed, by id. */
  const unconfirmed = new Map()

  /** The landings of this session. The storage may hold anything, and it may be forbidden. */
  let touches = []
  try {
    touches = [].concat(JSON.parse(sessionStorage.getItem(storageKey)) || [])
  } catch {}

  /** Without fragment, and with only the parameters that show an assistant. Any other may be private. */
  const publicPart = url =>
    url.split(/[?#]/)[0] +
    (url.match(/[?&](utm_\w+|ref|referrer|source|via|udm|ia|showconv)=[^&#]*/gi) || [])
      .join('')
      .replace(/^&/, '?')

  /** Every try carries the same id, so that the server counts a message once. */
  const send = message => {
    const id = Math.random().toString(36).slice(2) + Date.now().toString(36)
    unconfirmed.set(
      id,
      JSON.stringify({ site: script.dataset.site, id, url: publicPart(location.href), ...message }),
    )
    if (document.visibilityState === 'hidden') sendAtPageEnd()
    else attempt(id, firstPauseMs)
  }

  const attempt = (id, pauseMs) => {
    const body = unconfirmed.get(id)
    if (!body) return
    const retry = () => setTimeout(attempt, pauseMs, id, pauseMs * 2)
    fetch(endpoint, { method: 'POST', body, credentials: 'omit' }).then(
      response => (response.status < 500 ? unconfirmed.delete(id) : retry()),
      retry,
    )
  }

  const sendAtPageEnd = () => {
    for (const [id, body] of unconfirmed) navigator.sendBeacon(endpoint, body) && unconfirmed.delete(id)
  }

  const land = () => {
    const referrer = publicPart(document.referrer)
    const url = publicPart(location.href)
    const navigation = performance.getEntriesByType('navigation')[0]
    // A reload or a step back in the history repeats the referrer of a click that was counted before.
    if (navigation && navigation.type !== 'navigate') return
    if (referrer ? referrer.split('/')[2] === location.host : !url.includes('?')) return
    touches = [...touches, { referrer, url }].slice(-touchesMax)
    try {
      sessionStorage.setItem(storageKey, JSON.stringify(touches))
    } catch {}
    send({ kind: 'landing', referrer })
  }

  const convert = (name, properties) =>
    send({ kind: 'conversion', name: `${name}`, value: properties && +properties.value, touches })

  const convertElement = event => {
    const element = event.target.closest?.('[data-pugmark-event]')
    // A form converts when it is sent, everything else when it is clicked.
    if (!element || (element.tagName === 'FORM') !== (event.type === 'submit')) return
    const { pugmarkEvent, pugmarkValue } = element.dataset
    convert(pugmarkEvent, { value: pugmarkValue })
  }

  window.pugmark = convert
  convert.loaded = true
  // Capturing, because a page may stop the event later.
  addEventListener('click', convertElement, true)
  addEventListener('submit', convertElement, true)
  addEventListener('visibilitychange', () => document.visibilityState === 'hidden' && sendAtPageEnd(), true)
  // Nobody has visited a page that is only prerendered.
  if (document.prerendering) document.addEventListener('prerenderingchange', land)
  else land()
  for (const call of before?.q || []) convert(...call)
})()
