/** Hears of new events while the tab is looked at, and has what changed asked for again. */
import { useQueryClient } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import type { LiveMessage } from '../api/answers.ts'
import { liveUrl } from '../api/client.ts'
import { stateQuery } from '../queries.ts'

export type LiveState = 'live' | 'paused' | 'reconnecting'

const reconnectMs = 3_000
/** An import changes the numbers many times a second; the page follows at this pace. */
const refreshIntervalMs = 500

/** `onArrival` must stay the same function. */
export function useLive(siteId: string, onArrival: (message: LiveMessage) => void): LiveState {
  const queryClient = useQueryClient()
  const [state, setState] = useState<LiveState>('reconnecting')
  useEffect(() => {
    let source: EventSource | null = null
    let reconnect: ReturnType<typeof setTimeout> | undefined
    let refresh: ReturnType<typeof setTimeout> | undefined
    let revision: number | null = null

    const changed = () => {
      refresh ??= setTimeout(() => {
        refresh = undefined
        for (const kind of ['overview', 'events', 'attribution'])
          void queryClient.invalidateQueries({ queryKey: ['site', siteId, kind] })
      }, refreshIntervalMs)
    }
    const close = () => {
      clearTimeout(reconnect)
      source?.close()
      source = null
    }
    const open = () => {
      close()
      setState('reconnecting')
      source = new EventSource(liveUrl(siteId))
      source.onopen = () => setState('live')
      source.onmessage = ({ data }: MessageEvent<string>) => {
        const message = JSON.parse(data) as LiveMessage
        if (revision !== null && revision !== message.revision) changed()
        revision = message.revision
        if (message.events.length > 0) onArrival(message)
      }
      source.onerror = () => {
        setState('reconnecting')
        // A refusal ends the stream for good: the session is over, or the site is gone. Asking for the state tells.
        if (source?.readyState !== EventSource.CLOSED) return
        void queryClient.invalidateQueries({ queryKey: stateQuery.queryKey })
        reconnect = setTimeout(open, reconnectMs)
      }
    }
    const follow = () => {
      if (!document.hidden) return open()
      close()
      setState('paused')
    }
    follow()
    document.addEventListener('visibilitychange', follow)
    return () => {
      document.removeEventListener('visibilitychange', follow)
      clearTimeout(refresh)
      close()
    }
  }, [siteId, onArrival, queryClient])
  return state
}
