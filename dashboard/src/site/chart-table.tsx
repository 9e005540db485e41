/** The chart as a table, for people who prefer numbers or use a screen reader. */

import { formatBucket, formatExact } from '../format.ts'
import { ScrollBox } from '../parts/scroll-box.tsx'
import type { ChartModel } from './chart-model.ts'

export function ChartTable({ model, title }: { readonly model: ChartModel; readonly title: string }) {
  return (
    <ScrollBox label={title} className="table-scroll chart-table">
      <table>
        <thead>
          <tr>
            {model.header.map((name, i) => (
              <th key={name} scope="col" className={i === 0 ? undefined : 'numeric'}>
                {name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {model.rows.toReversed().map(([bucket, ...counts]) => (
            <tr key={bucket}>
              <th scope="row">{formatBucket(String(bucket))}</th>
              {counts.map((count, i) => (
                <td key={model.lines[i]!.key} className="numeric">
                  {formatExact(Number(count))}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </ScrollBox>
  )
}
