// What is used of BLAS and LAPACK, all OpenBLAS's. In some builds of it every name has a prefix.
#pragma once

#ifndef POSTIL_BLAS_PREFIX
#define POSTIL_BLAS_PREFIX ""
#endif
#define POSTIL_BLAS(name) __asm__(POSTIL_BLAS_PREFIX name)

extern "C" {
void openblas_set_num_threads(int) POSTIL_BLAS("openblas_set_num_threads");
int openblas_get_parallel() POSTIL_BLAS("openblas_get_parallel");
void dpotrf_(const char*, const int*, double*, const int*, int*) POSTIL_BLAS("dpotrf_");
void dpstrf_(const char*, const int*, double*, const int*, int*, int*, const double*, double*, int*)
    POSTIL_BLAS("dpstrf_");
void dpotri_(const char*, const int*, double*, const int*, int*) POSTIL_BLAS("dpotri_");
void dpotrs_(const char*, const int*, const int*, const double*, const int*, double*, const int*, int*)
    POSTIL_BLAS("dpotrs_");
void dtrsv_(const char*, const char*, const char*, const int*, const double*, const int*, double*, const int*)
    POSTIL_BLAS("dtrsv_");
void dtrsm_(const char*, const char*, const char*, const char*, const int*, const int*, const double*, const double*,
            const int*, double*, const int*) POSTIL_BLAS("dtrsm_");
void dgemv_(const char*, const int*, const int*, const double*, const double*, const int*, const double*, const int*,
            const double*, double*, const int*) POSTIL_BLAS("dgemv_");
void dgemm_(const char*, const char*, const int*, const int*, const int*, const double*, const double*, const int*,
            const double*, const int*, const double*, double*, const int*) POSTIL_BLAS("dgemm_");
void dsyrk_(const char*, const char*, const int*, const int*, const double*, const double*, const int*, const double*,
            double*, const int*) POSTIL_BLAS("dsyrk_");
void dsyevd_(const char*, const char*, const int*, double*, const int*, double*, double*, const int*, int*, const int*,
             int*) POSTIL_BLAS("dsyevd_");
}

#undef POSTIL_BLAS
