/* Debian's CLP asks for two functions of LAPACK; in wheels OpenBLAS has them under a prefix. tools/wheel.sh makes liblapack.so.3 of this. */
void scipy_dgetrf_(const int*, const int*, double*, const int*, int*, int*);
void scipy_dgetrs_(const char*, const int*, const int*, const double*, const int*, const int*, double*, const int*, int*);

void dgetrf_(const int* m, const int* n, double* a, const int* lda, int* pivots, int* info) { scipy_dgetrf_(m, n, a, lda, pivots, info); }
void dgetrs_(const char* trans, const int* n, const int* columns, const double* a, const int* lda, const int* pivots, double* b, const int* ldb, int* info) {
  scipy_dgetrs_(trans, n, columns, a, lda, pivots, b, ldb, info);
}
