// The columns of the list, for its header and rows. A narrow page hides columns: figures first, then texts.

export const grid =
  "grid items-center gap-x-3 px-6 max-md:px-4 grid-cols-[minmax(0,1fr)_80px_32px_28px] md:grid-cols-[minmax(0,1fr)_80px_48px_52px_60px_52px_52px_28px] xl:grid-cols-[minmax(0,5fr)_80px_48px_52px_60px_52px_52px_minmax(0,3fr)_152px_28px]";
/** Cells that a narrow page hides. */
export const figures = "max-md:hidden";
/** Cells that only a wide page shows. */
export const details = "max-xl:hidden";
