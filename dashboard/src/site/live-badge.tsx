/** Whether the page hears of events as they arrive. */
import { Tooltip } from '@mantine/core'
import { text } from '../text/text.ts'
import type { LiveState } from './use-live.ts'
import './live-badge.css'

export function LiveBadge({ state, arrivals }: { readonly state: LiveState; readonly arrivals: number }) {
  return (
    <Tooltip label={text.events.liveHint}>
      <span className="live-badge" data-state={state} role="status">
        <span className="live-dot" aria-hidden="true" />
        {text.events[state]}
        {arrivals > 0 && <span className="dimmed">· {text.events.arrived(arrivals)}</span>}
      </span>
    </Tooltip>
  )
}
