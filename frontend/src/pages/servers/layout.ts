// CSS classes for the columns of the list of servers, shared by its header and rows. Narrower pages show fewer columns.

export const grid =
  "grid items-center gap-x-3 px-6 max-md:px-4 grid-cols-[minmax(0,1fr)_80px_32px_28px] md:grid-cols-[minmax(0,1fr)_80px_48px_52px_60px_52px_52px_28px] xl:grid-cols-[minmax(0,5fr)_80px_48px_52px_60px_52px_52px_minmax(0,3fr)_152px_28px]";
/** Hides cells on a narrow page. */
export const figures = "max-md:hidden";
/** Hides cells unless the page is wide. */
export const details = "max-xl:hidden";
