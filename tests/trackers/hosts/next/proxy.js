/** The tracker in front of every page of a Next.js site. */
import { NextResponse } from 'next/server'
import { pugmark } from '../../../../trackers/src/next.js'

export const proxy = pugmark(
  {
    host: process.env.COLLECTOR,
    siteId: process.env.SITE_ID ?? 'site_test',
    key: process.env.WRITE_KEY ?? 'pug_test',
    flushIntervalMs: 50,
    trustProxy: Number(process.env.TRUST_PROXY) || undefined,
  },
  request => {
    if (request.nextUrl.pathname === '/moved') return NextResponse.redirect(new URL('/page', request.url))
    return NextResponse.next()
  },
)

export const config = {
  matcher: [
    {
      source: '/((?!_next/).*)',
      missing: [
        { type: 'header', key: 'rsc' },
        { type: 'header', key: 'next-router-prefetch' },
      ],
    },
  ],
}
