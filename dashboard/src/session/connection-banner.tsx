/** Says that the server does not answer, tries again by itself, and brings everything up to date when it is back. */
import { useQueryClient } from '@tanstack/react-query'
import { useEffect } from 'react'
import { isReachable } from '../api/client.ts'
import { connectionLost } from '../api/problem.ts'
import { useSignal } from '../signal.ts'
import { text } from '../text/text.ts'
import './connection-banner.css'

const tryIntervalMs = 2_000

export function ConnectionBanner() {
  const lost = useSignal(connectionLost)
  const queryClient = useQueryClient()
  useEffect(() => {
    if (!lost) return
    const timer = setInterval(async () => {
      if (!(await isReachable())) return
      connectionLost.set(false)
      await queryClient.invalidateQueries()
    }, tryIntervalMs)
    return () => clearInterval(timer)
  }, [lost, queryClient])
  return (
    <div role="status" aria-live="polite">
      {lost && (
        <div className="banner">
          <strong>{text.connection.lost}</strong> {text.connection.lostLead}
        </div>
      )}
    </div>
  )
}
